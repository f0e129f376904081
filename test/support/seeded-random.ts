import type { Random } from "../../src/lib/random.js";

/** A stream of numbers that a name and a seed fix. Streams of different names know nothing of each other. Source: sfc32 by Chris Doty-Humphrey */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, name: string) {
    this.#a = seed | 0;
    this.#b = hashOf(name);
    this.#c = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
    for (let round = 0; round < 12; round++) this.#word();
  }

  next(): number {
    return this.#word() / 2 ** 32;
  }

  hex(length: number): string {
    let digits = "";
    while (digits.length < length) digits += this.#word().toString(16).padStart(8, "0");
    return digits.slice(0, length);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A number from `low` up to `high`. */
  within(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** @throws for an empty list */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("Cannot pick from an empty list");
    return item;
  }

  #word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}
