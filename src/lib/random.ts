import { randomBytes } from "node:crypto";

/** Randomness as a port, so that a seeded run repeats exactly. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string;
}

/** The machine's own randomness. */
export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (length) =>
    randomBytes(Math.ceil(length / 2))
      .toString("hex")
      .slice(0, length),
};
