const PLAIN = /^[A-Za-z/][A-Za-z0-9 ._:/@-]*$/;
const WORDS: ReadonlySet<string> = new Set(["true", "false", "yes", "no", "on", "off", "null", "y", "n"]);

// Some readers take a bare exponent for a number.
const EXPONENT = /^e\d+$/i;

/** A value of plain JSON as YAML, one line an element; strings that could be taken for something else are quoted. */
export function toYaml(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => hang("- ", toYaml(item)));
  if (typeof value !== "object" || value === null) return [scalar(value)];
  return Object.entries(value).flatMap(([name, member]: readonly [string, unknown]) => {
    const lines = toYaml(member);
    const isNested = typeof member === "object" && member !== null;
    return isNested ? [`${scalar(name)}:`, ...lines.map((line) => `  ${line}`)] : [`${scalar(name)}: ${lines[0] ?? ""}`];
  });
}

function hang(mark: string, [first = "", ...others]: readonly string[]): readonly string[] {
  return [`${mark}${first}`, ...others.map((line) => `${" ".repeat(mark.length)}${line}`)];
}

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isText = PLAIN.test(value) && !WORDS.has(value.toLowerCase()) && !EXPONENT.test(value);
  return isText && !value.includes(": ") && !/[: ]$/.test(value) ? value : JSON.stringify(value);
}
