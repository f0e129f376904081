import type { Clock } from "../lib/clock.js";
import type { Files } from "../lib/files.js";
import { unreadableCredentials } from "./failures.js";

export interface FreshFileOptions {
  readonly files: Files;
  readonly clock: Clock;
}

/** A file is asked for its time of change no more often than this. */
const CHECK_MS = 1_000;
/** It is read again after this even if it seems unchanged. */
const MAX_AGE_MS = 60_000;

/** A small file whose content is kept until the file changes. */
export class FreshFile {
  readonly #path: string;
  readonly #options: FreshFileOptions;
  #content: string | undefined;
  #modifiedMs = 0;
  #checkedAtMs = 0;
  #readAtMs = 0;

  constructor(path: string, options: FreshFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws {OperationError} transient KUBE_CREDENTIALS if the file cannot be read and never could */
  async read(): Promise<string> {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#content !== undefined && nowMs - this.#checkedAtMs < CHECK_MS) return this.#content;
    try {
      return await this.#refresh(nowMs);
    } catch (error) {
      if (this.#content !== undefined) return this.#content; // a file that is being replaced may be missing for a moment
      throw unreadableCredentials(this.#path, error);
    }
  }

  /** The next `read` reads the file. */
  expire(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #refresh(nowMs: number): Promise<string> {
    const { files } = this.#options;
    const modifiedMs = await files.modifiedMs(this.#path);
    this.#checkedAtMs = nowMs;
    if (this.#content !== undefined && modifiedMs === this.#modifiedMs && nowMs - this.#readAtMs < MAX_AGE_MS) return this.#content;
    this.#content = (await files.read(this.#path)).toString("utf8");
    this.#modifiedMs = modifiedMs;
    this.#readAtMs = nowMs;
    return this.#content;
  }
}
