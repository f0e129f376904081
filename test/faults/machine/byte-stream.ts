/** Bytes that come in from time to time, to be read once as an async iterable. */
export class ByteStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #end: { readonly failure?: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  /** No more bytes; with a failure the reader gets it after what it has not read yet. */
  end(failure?: unknown): void {
    this.#end ??= failure === undefined ? {} : { failure };
    this.#wake?.();
  }

  /** As `end` with a failure, and what was not read yet is lost. */
  break(failure: unknown): void {
    if (this.#end !== undefined) return;
    this.#chunks.length = 0;
    this.end(failure);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        continue;
      }
      if (this.#end !== undefined) {
        if ("failure" in this.#end) throw this.#end.failure;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
