/** The process around a command as a port: only main.ts makes the real one. */
export interface ProcessPort {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Node's version, such as `v20.20.2`. */
  readonly nodeVersion: string;
  /** Whether a person may be watching standard output; default: no. */
  readonly isTerminal?: boolean;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Says who tells the operator of an error that nobody caught, just before the process ends with EXIT_FAILURE. The last one counts. */
  onUncaught(tell: (failure: unknown) => void): void;
}

/** Exit codes of every command. */
export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
/** A mistake in flags or environment, found before anything started. */
export const EXIT_USAGE = 2;
