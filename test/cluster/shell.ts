import { execFile, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** How to run a program; everything is optional. */
export type RunOptions = {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
};

const LONGEST_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Runs a program to its end and gives its standard output.
 *
 * @throws Error with the command, its exit code and the end of its error output when it fails
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { input, ...rest } = options;
    const child = execFile(command, [...args], { ...rest, maxBuffer: LONGEST_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Error(`Cannot run "${command} ${args.join(" ")}": ${endOf(stderr) || endOf(stdout) || error.message}`, { cause: error }),
        );
    });
    child.stdin?.on("error", () => undefined); // the program may end before it has read everything
    child.stdin?.end(input ?? "");
  });
}

/** Whether the program ends with exit code 0. */
export async function succeeds(command: string, args: readonly string[], options: RunOptions = {}): Promise<boolean> {
  try {
    await run(command, args, options);
    return true;
  } catch {
    return false;
  }
}

/** Runs a program whose output goes where ours goes (to standard error, so that ours stays parsable). */
export function runShown(command: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: options.cwd, env: options.env, stdio: ["ignore", 2, 2] });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`Cannot run "${command} ${args.join(" ")}": ended with ${signal ?? `exit code ${String(code)}`}`));
    });
  });
}

/** One line of progress for whoever waits. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What to wait for. */
export type Wait = {
  /** Completes "Cannot start ...". */
  readonly what: string;
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly isDone: () => boolean | Promise<boolean>;
  /** A reason why waiting is pointless, e.g. that the process died. */
  readonly failure?: () => string | undefined;
};

/**
 * Asks again and again until the answer is yes.
 *
 * @throws Error when the time is over or `failure` gives a reason
 */
export async function waitUntil(wait: Wait): Promise<void> {
  const endMs = Date.now() + wait.timeoutMs;
  while (!(await wait.isDone())) {
    const reason = wait.failure?.() ?? (Date.now() > endMs ? `not ready after ${wait.timeoutMs} ms` : undefined);
    if (reason !== undefined) throw new Error(`Cannot start ${wait.what}: ${reason}`);
    await sleep(wait.everyMs ?? 100);
  }
}

function endOf(text: string): string {
  return text.trim().slice(-2000);
}
