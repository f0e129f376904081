import { join } from "node:path";
import { expand } from "../plan/expand.js";
import { bundleWorker } from "../run/bundle.js";
import { Pool } from "../run/pool.js";
import { MUTANTS } from "./catalogue.js";
import type { Mutant } from "./mutant.js";

export interface HuntOptions {
  readonly directory: string;
  readonly workers: number;
  /** Only the mutant of this name. */
  readonly only: string | undefined;
}

const START_SEEDS = [1, 100_001, 200_001] as const;
const LIMIT = 1_000;
/** Plans that are under way at once; enough to keep every thread busy. */
const BATCH = 16;

/** Breaks the product in each known way, and counts the schedules until somebody notices. @returns the exit code */
export async function huntMutants({ directory, workers, only }: HuntOptions): Promise<number> {
  const chosen = MUTANTS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0)
    throw new TypeError(`flag "--mutant" is "${only ?? ""}": allowed are ${MUTANTS.map(({ name }) => name).join(", ")}`);
  let survivors = 0;
  for (const mutant of chosen) {
    const path = join(directory, `${mutant.name}.cjs`);
    await bundleWorker(path, mutant.changes);
    const pool = new Pool(path, workers);
    try {
      const found = [];
      for (const seed of START_SEEDS) found.push(await schedulesUntilFound(pool, seed));
      if (found.some(({ schedules }) => schedules === undefined)) survivors++;
      console.log(lineOf(mutant, found));
    } finally {
      await pool.close();
    }
  }
  console.log(`${String(chosen.length - survivors)} passed, ${String(survivors)} failed`);
  return survivors === 0 ? 0 : 1;
}

interface Found {
  /** Undefined: not within the limit. */
  readonly schedules: number | undefined;
  /** All that the plan broke. */
  readonly invariants: readonly string[];
}

async function schedulesUntilFound(pool: Pool, firstSeed: number): Promise<Found> {
  for (let done = 0; done < LIMIT; done += BATCH) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(BATCH, LIMIT - done) }, (_, index) => pool.run(expand(firstSeed + done + index))),
    );
    const index = batch.findIndex(({ violations }) => violations.length > 0);
    const broken = batch[index]?.violations.map(({ invariant }) => invariant) ?? [];
    if (index >= 0) return { schedules: done + index + 1, invariants: [...new Set(broken)] };
  }
  return { schedules: undefined, invariants: [] };
}

function lineOf({ name }: Mutant, found: readonly Found[]): string {
  const numbers = found.map(({ schedules }) => schedules ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const each = found.map(({ schedules, invariants }) =>
    schedules === undefined ? "SURVIVES" : `${String(schedules)} (${invariants.join(", ")})`,
  );
  return `${name.padEnd(36)} median ${String(numbers[1]).padStart(5)}: ${each.join(", ")}`;
}
