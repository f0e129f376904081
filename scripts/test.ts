import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageScript, run, runScript, runScriptWithLastLine } from "./run.js";

/**
 * The whole gate: static checks, then every layer of tests. What this machine cannot run is skipped and named; with CI=true a skip fails.
 * The last line is `N passed, N failed` (`, N skipped` where something was).
 */
const isCi = process.env["CI"] === "true";
const mayInstall = isCi || process.argv.includes("--install");
const KUBELET_LIVE = "test/conformance/kubelet/live";
const KUBELET_RECORDED = "test/conformance/kubelet/record";
const counts = { passed: 0, failed: 0, skipped: 0 };
const reports = mkdtempSync(join(tmpdir(), "podmend-test-"));

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

try {
  await runGate();
} finally {
  rmSync(reports, { recursive: true, force: true });
}
if (isCi && counts.skipped > 0) {
  console.log(`CI allows no skip, but ${counts.skipped} were`);
  counts.failed += 1;
}
console.log(`${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

async function runGate(): Promise<void> {
  await step("static checks", () => runScript("scripts/check.ts"));
  await step("bundle", () => runScript("scripts/build.ts"));
  await jestLayer("unit", ["test/unit"]);
  await scriptLayer("fault schedules", "test/faults/main.ts", ["--runs", "200", "--repeat", "100", "--corpus"]);
  const clusterProblem = clusterCannotRun();
  if (clusterProblem !== undefined) {
    await jestLayer("component", ["test/component", KUBELET_RECORDED]);
    skip("conformance, cluster and end-to-end layers", clusterProblem);
    return;
  }
  // Starting the cluster also installs what the conformance tests need.
  const isUp = await step("cluster up", () =>
    runScript("test/cluster/main.ts", ["up", "--nodes", "2", ...(mayInstall ? ["--install"] : [])]),
  );
  // Most of these wait more than they compute, so they share the time.
  await jestLayer("component, conformance and cluster life cycle", [
    "test/component",
    "test/conformance",
    "test/cluster",
    "--maxWorkers=2",
    `--testPathIgnorePatterns=${KUBELET_LIVE}`,
  ]);
  if (isUp) await clusterLayers();
}

async function clusterLayers(): Promise<void> {
  try {
    // Before anything of ours runs there. Minutes long, and about the model only: its recorded results are compared in every run.
    if (isCi) await jestLayer("kubelet conformance", [KUBELET_LIVE], true);
    else skip("the kubelet's conformance", "takes minutes: run with CI=true");
    if (await step("deploy", () => runScript("test/cluster/main.ts", ["deploy"]))) await jestLayer("end to end", ["test/e2e"], true);
  } finally {
    if (!process.argv.includes("--keep-cluster")) await step("cluster down", () => runScript("test/cluster/main.ts", ["down"]));
  }
}

function clusterCannotRun(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root on Debian: run npm test -- --install as root";
  return mayInstall ? undefined : "may install Debian packages and build Kubernetes from Go modules: run npm test -- --install";
}

/** One thing that either works or not, counted as one test. */
async function step(name: string, work: () => Promise<number>): Promise<boolean> {
  const startMs = performance.now();
  console.log(`\n=== ${name}`);
  const code = await work();
  if (code === 0) counts.passed += 1;
  else counts.failed += 1;
  console.log(`=== ${name}: ${code === 0 ? "ok" : `FAILED (exit code ${code})`} after ${seconds(startMs)} s`);
  return code === 0;
}

async function jestLayer(name: string, args: readonly string[], isInCluster = false): Promise<void> {
  const startMs = performance.now();
  console.log(`\n=== ${name} tests`);
  const output = join(reports, `${name.replaceAll(" ", "-")}.json`);
  const jest = [packageScript("jest", "bin/jest.js"), "--json", `--outputFile=${output}`, ...args];
  if (isInCluster) jest.push("--runInBand");
  const nodeArgs = ["--experimental-vm-modules", "--no-warnings=ExperimentalWarning", ...jest];
  const code = isInCluster
    ? await runScript("test/cluster/main.ts", ["exec", "--", process.execPath, ...nodeArgs])
    : await run(process.execPath, nodeArgs);
  addReport(name, output, code);
  console.log(`=== ${name} tests: ${code === 0 ? "ok" : "FAILED"} after ${seconds(startMs)} s`);
}

/** A script of our own whose last line is `N passed, N failed`. */
async function scriptLayer(name: string, path: string, args: readonly string[]): Promise<void> {
  const startMs = performance.now();
  console.log(`\n=== ${name}`);
  const { code, lastLine } = await runScriptWithLastLine(path, args);
  const [, passed = "0", failed = "1"] = /^(\d+) passed, (\d+) failed$/.exec(lastLine) ?? [];
  counts.passed += Number(passed);
  counts.failed += code === 0 ? Number(failed) : Math.max(1, Number(failed));
  console.log(`=== ${name}: ${code === 0 ? "ok" : "FAILED"} after ${seconds(startMs)} s`);
}

function addReport(name: string, output: string, code: number): void {
  let report: JestReport;
  try {
    report = JSON.parse(readFileSync(output, "utf8")) as JestReport;
  } catch {
    console.log(`The ${name} tests left no report`);
    counts.failed += 1;
    return;
  }
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  counts.passed += report.numPassedTests;
  counts.failed += failed > 0 || code === 0 ? failed : 1;
  if (report.numPendingTests + report.numTodoTests > 0)
    skip(`${report.numPendingTests + report.numTodoTests} ${name} tests`, "marked so or not runnable here, see above");
  if (report.numPassedTests === 0 && failed === 0) {
    console.log(`The ${name} layer ran no test`);
    counts.failed += 1;
  }
}

function skip(what: string, why: string): void {
  counts.skipped += 1;
  console.log(`\nSkipped ${what}: ${why}`);
}

function seconds(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}
