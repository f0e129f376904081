import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

/** A program in the background of one test file; it dies with the test process at the latest. */
export interface Daemon {
  readonly pid: number;
  /** The end of what it has printed. */
  logTail(): string;
  hasEnded(): boolean;
  /** Sends the signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program with its output in a file. */
export function startDaemon(logFile: string, command: string, args: readonly string[]): Daemon {
  const output = openSync(logFile, "a");
  // setpriv becomes the program: the pid is the program's own.
  const child = spawn("setpriv", ["--pdeathsig", "KILL", command, ...args], { stdio: ["ignore", output, output] });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  if (child.pid === undefined) throw new Error(`Cannot start "${command}"`);
  return {
    pid: child.pid,
    logTail: () => readFileSync(logFile, "utf8").slice(-2_000),
    hasEnded: () => hasEnded(child),
    async end(signal) {
      if (!hasEnded(child)) child.kill(signal);
      await ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
