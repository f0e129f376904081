import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../scripts/run.js";
import { expand } from "./plan/expand.js";
import type { Plan } from "./plan/plan.js";
import { shrink } from "./plan/shrink.js";
import { bundleWorker } from "./run/bundle.js";
import type { Summary } from "./run/messages.js";
import { Pool } from "./run/pool.js";
import { coverageOf, gapsOf, reportText } from "./run/report.js";
import { huntMutants } from "./mutants/hunt.js";

const USAGE = `npm run faults [-- --runs N] [--seed N] [--repeat N] [--workers N] [--plan FILE] [--mutants [NAME]] [--json FILE]
  Runs our real agents and controllers through seeded schedules of faults in a simulated cluster under virtual time.
  --runs N      schedules, default 1000; seeds count up from --seed (default 1)
  --repeat N    run the first N once more, in another order, and compare their traces
  --plan FILE   run one plan and print its journal (a found plan is written below test/faults/corpus)
  --corpus      run every plan of test/faults/corpus as well
  --mutants     break the product on purpose, one way after the other, and see that each is found within 1000 schedules of three seeds
  --mutant NAME only that one
  --workers N   threads, default one for each core
  --shrink N    make so many of the plans that fail as small as can be, one for each invariant, default 3
  --json FILE   the report as JSON`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    repeat: { type: "string", default: "0" },
    workers: { type: "string", default: String(availableParallelism()) },
    plan: { type: "string" },
    corpus: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    shrink: { type: "string", default: "3" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const CORPUS = join(ROOT, "test/faults/corpus");

if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "podmend-faults-"));
  const workers = whole("workers", values.workers);
  try {
    if (values.mutants || values.mutant !== undefined) {
      process.exitCode = await huntMutants({ directory, workers, only: values.mutant });
      return;
    }
    const path = join(directory, "worker.cjs");
    await bundleWorker(path);
    const pool = new Pool(path, workers);
    try {
      process.exitCode = values.plan === undefined ? await runSeeds(pool) : await replay(pool, values.plan);
    } finally {
      await pool.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns the exit code */
async function runSeeds(pool: Pool): Promise<number> {
  const [first, count, repeat] = [whole("seed", values.seed), whole("runs", values.runs), whole("repeat", values.repeat)];
  const startMs = performance.now();
  const plans = Array.from({ length: count }, (_, index) => expand(first + index));
  let done = 0;
  const summaries = await Promise.all(
    plans.map(async (plan) => {
      const summary = await pool.run(plan);
      done++;
      if (done % 1000 === 0) console.log(`  ${String(done)} of ${String(count)} after ${seconds(startMs)} s`);
      return summary;
    }),
  );
  const kept = values.corpus ? await runCorpus(pool) : [];
  const control = await pool.run({ ...expand(first), faults: [] });
  const different = await compareRepeated(pool, summaries.slice(0, repeat));
  const coverage = coverageOf(summaries);
  const gaps = gapsOf(coverage);
  const again = kept.filter(({ violations }) => violations.length > 0);
  console.log(reportText(coverage));
  console.log(`fault-free control: ${control.violations.length === 0 ? "passes" : `FAILS: ${describe(control)}`}`);
  if (repeat > 0)
    console.log(`${String(repeat)} schedules run twice: ${different === 0 ? "the same traces" : `${String(different)} DIFFER`}`);
  for (const summary of coverage.violations) console.log(`seed ${String(summary.plan.seed)}: ${describe(summary)}`);
  for (const summary of oneOfEach(coverage.violations).slice(0, whole("shrink", values.shrink))) await explain(pool, summary);
  if (values.corpus)
    console.log(`${String(kept.length)} kept plans: ${again.length === 0 ? "none fails" : again.map(describe).join("; ")}`);
  for (const gap of gaps) console.log(`gap: ${gap}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(jsonOf(summaries), null, 2)}\n`);
  const failed = coverage.violations.length + different + control.violations.length + again.length + gaps.length;
  const { user, system } = process.cpuUsage();
  console.log(`${seconds(startMs)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU on ${values.workers} threads`);
  console.log(`${String(summaries.length + 1 + repeat + kept.length + gaps.length - failed)} passed, ${String(failed)} failed`);
  return failed === 0 ? 0 : 1;
}

/** Every plan that once failed. */
function runCorpus(pool: Pool): Promise<readonly Summary[]> {
  const files = readdirSync(CORPUS).filter((name) => name.endsWith(".json"));
  return Promise.all(files.map((name) => pool.run(JSON.parse(readFileSync(join(CORPUS, name), "utf8")) as Plan)));
}

/** Runs schedules once more, last first. @returns how many left another trace */
async function compareRepeated(pool: Pool, summaries: readonly Summary[]): Promise<number> {
  const again = await Promise.all([...summaries].reverse().map(({ plan }) => pool.run(plan)));
  const before = new Map(summaries.map(({ plan, traceHash }) => [plan.seed, traceHash]));
  const different = again.filter(({ plan, traceHash }) => before.get(plan.seed) !== traceHash);
  for (const { plan } of different) console.log(`  seed ${String(plan.seed)} left another trace the second time`);
  return different.length;
}

/** The first of the plans that break each invariant. */
function oneOfEach(summaries: readonly Summary[]): readonly Summary[] {
  return [...new Map([...summaries].reverse().map((summary) => [summary.violations[0]?.invariant, summary])).values()].reverse();
}

/** Shrinks a plan that fails, and keeps it. */
async function explain(pool: Pool, summary: Summary): Promise<void> {
  const [first] = summary.violations;
  const smallest = await shrink(summary.plan, async (plan) => {
    const { violations } = await pool.run(plan);
    return violations.some(({ invariant }) => invariant === first?.invariant);
  });
  mkdirSync(CORPUS, { recursive: true });
  const file = join(CORPUS, `${first?.invariant ?? "unknown"}-${String(summary.plan.seed)}.json`);
  writeFileSync(file, `${JSON.stringify(smallest, null, 2)}\n`);
  console.log(
    `  shrunk from ${String(summary.plan.faults.length)} to ${String(smallest.faults.length)} faults: npm run faults -- --plan test/faults/corpus/${file.slice(CORPUS.length + 1)}`,
  );
}

async function replay(pool: Pool, file: string): Promise<number> {
  const plan = JSON.parse(readFileSync(file, "utf8")) as Plan;
  const summary = await pool.run(plan, true);
  for (const line of summary.lines ?? []) console.log(line);
  console.log(`trace ${summary.traceHash}, ${summary.violations.length === 0 ? "no violation" : describe(summary)}`);
  return summary.violations.length === 0 ? 0 : 1;
}

function describe({ plan, violations }: Summary): string {
  const [first] = violations;
  return `${plan.flow}: ${first?.invariant ?? ""} at ${((first?.atMs ?? 0) / 1000).toFixed(3)} s: ${first?.message ?? ""}`;
}

function jsonOf(summaries: readonly Summary[]): object {
  const { cells, rareStates, violations, ...rest } = coverageOf(summaries);
  return { ...rest, cells: Object.fromEntries(cells), rareStates: Object.fromEntries(rareStates), violations };
}

function whole(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`flag "--${flag}" is "${text}": allowed are whole numbers`);
  return Number(text);
}

function seconds(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}
