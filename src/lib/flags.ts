interface FlagBase {
  readonly help: string;
  /** Why the flag is accepted without effect; it is still checked for its kind. */
  readonly ignored?: string;
}

export interface StringFlag extends FlagBase {
  readonly kind: "string";
  readonly fallback: string;
  readonly choices?: readonly string[];
}

export interface IntegerFlag extends FlagBase {
  readonly kind: "integer";
  readonly fallback: number;
  readonly min?: number;
  readonly max?: number;
}

export interface BooleanFlag extends FlagBase {
  readonly kind: "boolean";
  readonly fallback: boolean;
}

export type FlagDeclaration = StringFlag | IntegerFlag | BooleanFlag;

/** Flags of one command by name, without dashes. */
export type FlagTable = Readonly<Record<string, FlagDeclaration>>;

export type FlagValue<F extends FlagDeclaration> = F extends IntegerFlag ? number : F extends BooleanFlag ? boolean : string;

export interface ParsedFlags<T extends FlagTable> {
  readonly values: { readonly [K in keyof T]: FlagValue<T[K]> };
  /** Names of given flags that have no effect. */
  readonly ignored: readonly string[];
}

const TRUE_WORDS: readonly string[] = ["true", "1", "t", "T", "TRUE", "True"];
const FALSE_WORDS: readonly string[] = ["false", "0", "f", "F", "FALSE", "False"];

/**
 * Reads flags as Go programs do: `-v=5`, `--addr=:80`, `--addr :80`, `--enable`, `--enable=false`; one dash or two. The last wins.
 *
 * @throws {TypeError} one line that names the flag, what was given and what is allowed
 */
export function parseFlags<T extends FlagTable>(table: T, args: readonly string[]): ParsedFlags<T> {
  const values: Record<string, string | number | boolean> = {};
  const ignored = new Set<string>();
  for (const [name, flag] of Object.entries(table)) values[name] = flag.fallback;
  for (let at = 0; at < args.length; at++) {
    const { name, text } = splitArgument(args[at] ?? "");
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) throw new TypeError(`unknown flag "--${name}": ${suggestion(table, name)}`);
    let given = text;
    if (given === undefined && flag.kind !== "boolean") given = args[++at];
    values[name] = parseValue(name, flag, given);
    if (flag.ignored !== undefined) ignored.add(name);
  }
  return { values: values as ParsedFlags<T>["values"], ignored: [...ignored] };
}

/** The text of `--help`: one flag a paragraph, with its default. */
export function describeFlags(table: FlagTable): string {
  const lines = Object.entries(table).map(([name, flag]) => {
    const fallback = flag.fallback === "" ? "" : ` (default ${String(flag.fallback)})`;
    const choices = flag.kind === "string" && flag.choices !== undefined ? ` One of: ${flag.choices.join(", ")}.` : "";
    const ignored = flag.ignored === undefined ? "" : ` Accepted without effect: ${flag.ignored}.`;
    return `  --${name}${flag.kind === "boolean" ? "" : ` ${flag.kind}`}\n        ${flag.help}${choices}${ignored}${fallback}\n`;
  });
  return lines.join("");
}

function splitArgument(argument: string): { readonly name: string; readonly text: string | undefined } {
  const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(argument);
  if (match?.[1] === undefined) throw new TypeError(`unexpected argument "${argument}": only flags such as --name=value are taken`);
  return { name: match[1], text: match[2] };
}

function parseValue(name: string, flag: FlagDeclaration, text: string | undefined): string | number | boolean {
  if (flag.kind === "boolean") return parseBoolean(name, text ?? "true");
  if (text === undefined) throw new TypeError(`flag "--${name}" needs a value: give --${name}=${flag.kind}`);
  return flag.kind === "integer" ? parseInteger(name, flag, text) : parseChoice(name, flag, text);
}

function parseBoolean(name: string, text: string): boolean {
  if (TRUE_WORDS.includes(text)) return true;
  if (FALSE_WORDS.includes(text)) return false;
  throw new TypeError(`invalid value "${text}" for flag "--${name}": allowed are true and false`);
}

function parseInteger(name: string, flag: IntegerFlag, text: string): number {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = flag;
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || value < min || value > max) {
    throw new TypeError(`invalid value "${text}" for flag "--${name}": allowed are whole numbers${describeRange(flag)}`);
  }
  return value;
}

function describeRange({ min, max }: IntegerFlag): string {
  if (min === undefined) return max === undefined ? "" : ` up to ${String(max)}`;
  return max === undefined ? ` from ${String(min)}` : ` from ${String(min)} to ${String(max)}`;
}

function parseChoice(name: string, flag: StringFlag, text: string): string {
  if (flag.choices !== undefined && !flag.choices.includes(text)) {
    throw new TypeError(`invalid value "${text}" for flag "--${name}": allowed are ${flag.choices.join(", ")}`);
  }
  return text;
}

function suggestion(table: FlagTable, name: string): string {
  const known = Object.keys(table);
  const near = known.filter(
    (other) => other.startsWith(name) || name.startsWith(other) || other.replaceAll("-", "") === name.replaceAll(/[-_]/g, ""),
  );
  return near.length > 0
    ? `did you mean ${near.map((other) => `--${other}`).join(" or ")}`
    : `allowed are ${known.map((other) => `--${other}`).join(", ")}`;
}
