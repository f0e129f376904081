import type { ChangeRecord } from "./database.js";

/** So much is kept when the limit is reached, so that not every further change moves all the others. */
const KEPT_SHARE = 0.75;

/** The latest changes, as many as fit into a number of bytes. */
export class History {
  readonly #maxBytes: number;
  #records: ChangeRecord[] = [];
  #sizeBytes = 0;
  #compactedRevision: number;

  constructor(firstRevision: number, maxBytes: number) {
    this.#compactedRevision = firstRevision;
    this.#maxBytes = maxBytes;
  }

  /** Takes in the next change, whose revision is above all others. */
  add(record: ChangeRecord): void {
    this.#records.push(record);
    this.#sizeBytes += record.text.length;
    if (this.#sizeBytes > this.#maxBytes) this.#dropOldest();
  }

  /** The changes after a revision, or undefined if not all of them are here any more. */
  after(revision: number): readonly ChangeRecord[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#records[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#records.slice(low);
  }

  /** Drops all changes up to a revision that is the newest one. */
  forget(newestRevision: number): void {
    this.#records = [];
    this.#sizeBytes = 0;
    this.#compactedRevision = newestRevision;
  }

  #dropOldest(): void {
    let count = 0;
    for (const { text, revision } of this.#records) {
      if (this.#sizeBytes <= this.#maxBytes * KEPT_SHARE) break;
      this.#sizeBytes -= text.length;
      this.#compactedRevision = revision;
      count++;
    }
    this.#records = this.#records.slice(count);
  }
}
