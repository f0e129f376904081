import { packageScript, run, runScript } from "./run.js";

/** The static half of the gate: types, lint with the import table, format, generated files. Runs all, then fails if one did. */
const CHECKS: readonly (readonly [name: string, check: () => Promise<number>])[] = [
  ["types", () => run(process.execPath, [packageScript("typescript", "bin/tsc"), "--noEmit", "-p", "."])],
  ["lint", () => run(process.execPath, [packageScript("eslint", "bin/eslint.js"), ".", "--max-warnings=0"])],
  ["format", () => run(process.execPath, [packageScript("@biomejs/biome", "bin/biome"), "format", "."])],
  ["generated files", () => runScript("scripts/generate.ts", ["--check"])],
];

const failed: string[] = [];
for (const [name, check] of CHECKS) {
  if ((await check()) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? `check: ${CHECKS.map(([name]) => name).join(", ")}: ok` : `check failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
