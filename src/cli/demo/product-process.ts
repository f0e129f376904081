import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import type { Clock } from "../../lib/clock.js";

export interface ProductProcessOptions {
  /** Sub-command and flags. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where its log goes. */
  readonly logPath: string;
  readonly clock: Clock;
}

/** Loaded into the process before ours: it ends when the pipe to whoever started it closes, however that ended. */
const END_WITH_PARENT =
  "data:text/javascript,for(const event of['end','close','error'])process.stdin.on(event,()=>process.exit(1));process.stdin.resume()";
const GRACE_MS = 2_000;

/** Our agent or controller, as a process of its own that runs the very file that we run from. */
export class ProductProcess {
  readonly pid: number;
  /** Resolves when it has ended, with what to tell if nobody asked it to. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  #hasEnded = false;

  constructor({ args, env, logPath, clock }: ProductProcessOptions) {
    this.#clock = clock;
    const entry = process.argv[1] ?? "";
    const nodeArgs = [...process.execArgv, "--import", END_WITH_PARENT, entry, ...args];
    // A session of its own: Ctrl-C in a terminal is for the demo, which ends this one in order.
    this.#child = spawn(process.execPath, nodeArgs, { env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.pid = this.#child.pid ?? 0;
    const log = createWriteStream(logPath, { flags: "a" });
    log.on("error", () => undefined); // the directory is gone when the demo ends
    this.#child.stdout?.pipe(log, { end: false });
    this.#child.stderr?.pipe(log, { end: false });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message));
      this.#child.once("exit", (code, signal) => resolve(`ended with ${signal ?? `code ${String(code)}`}, see ${logPath}`));
    });
    void this.ended.then(() => {
      this.#hasEnded = true;
    });
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** Asks it to end, and kills it if it takes long. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#child.kill("SIGTERM");
    const cancel = this.#clock.schedule(GRACE_MS, () => this.#child.kill("SIGKILL"));
    await this.ended;
    cancel();
  }
}
