import type { ProcessPort } from "../../lib/process.js";
import { toYaml } from "./yaml.js";

/** Where the story is told: live on a terminal, plain lines in a pipe, or JSON lines. */
export interface Screen {
  /** One line for people. */
  line(text?: string): void;
  /** What happens right now; only a terminal shows it, and the next line takes its place. */
  progress(text: string): void;
  /** One object for programs. */
  record(fields: object): void;
}

/** What opens a step. */
export interface Heading {
  readonly number: number;
  readonly title: string;
  /** The change, as far as it differs. */
  readonly change?: object;
  readonly kubectl?: string;
}

const CLEAR = "\r\u001b[K";

/** Chooses by flag and terminal; TERM=dumb is told plain lines. */
export function createScreen(port: ProcessPort, json: boolean): Screen {
  const { isTerminal = false, env } = port;
  const writeOut = (text: string): void => port.writeOut(text);
  if (json) return { line: () => undefined, progress: () => undefined, record: (fields) => writeOut(`${JSON.stringify(fields)}\n`) };
  const isLive = isTerminal && env["TERM"] !== "dumb";
  let isDirty = false;
  return {
    line(text = "") {
      writeOut(`${isDirty ? CLEAR : ""}${text}\n`);
      isDirty = false;
    },
    progress(text) {
      if (!isLive) return;
      writeOut(`${CLEAR}   ${text}`);
      isDirty = true;
    },
    record: () => undefined,
  };
}

/** Shows what a step changes and how a user would do it. */
export function tellHeading(screen: Screen, { number, title, change, kubectl }: Heading): void {
  screen.line();
  screen.line(`${String(number)}. ${title}`);
  if (change !== undefined) for (const line of toYaml(change)) screen.line(`   | ${line}`);
  if (kubectl !== undefined) screen.line(`   $ ${kubectl}`);
}
