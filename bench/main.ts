import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runScript } from "../scripts/run.js";

const USAGE = `npm run bench [-- P1 P3 P6] [--rounds N] [--pods N] [--sets N] [--idle-minutes N] [--json FILE]
  P1, P1b  in-place update of env and image beside a bare stop (--rounds, default 12)
  P3       ImagePullJob beside a bare CRI PullImage (--rounds)
  P6       memory, CPU and API writes at rest (--pods per node, default 30; --sets 10; --idle-minutes 10)
Needs a cluster with Podmend: npm run cluster:up -- --nodes 2 && npm run cluster:deploy

npm run bench -- --sim [P4 P7 P8 P9] [--nodes N,N,N] [--sets N] [--restarts N] [--json FILE] [--svg FILE]
  P4       from an event to the stop of a container, on one node with 110 pods (--restarts, default 1000)
  P7       1,000 CloneSets of 10 pods at rest and in a rollout of all (--sets, default 1000)
  P8       API writes of an env update in place, alone and with 20 pods of one node
  P9       one ImagePullJob on many nodes (--nodes, default 100,1000,5000); its curves with --svg FILE
Needs nothing: our agents and controller are real, what they talk to are models behind real sockets.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "12" },
    pods: { type: "string", default: "30" },
    sets: { type: "string" },
    "idle-minutes": { type: "string", default: "10" },
    json: { type: "string" },
    sim: { type: "boolean", default: false },
    nodes: { type: "string", default: "100,1000,5000" },
    restarts: { type: "string", default: "1000" },
    svg: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values.sim) await runSimulated();
// The cluster can be reached only from inside its network namespace.
else if (process.env["KUBECONFIG"] === undefined || process.env["NODE_PIDS"] === undefined) process.exitCode = await runInCluster();
else await runBenches();

function runInCluster(): Promise<number> {
  const command = [process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2)];
  return runScript("test/cluster/main.ts", ["exec", "--", ...command]);
}

async function runSimulated(): Promise<void> {
  const { benchScale, SCALE_GOALS } = await import("./scale/scale.js");
  const wanted = positionals.map((name) => name.toUpperCase());
  const results = await benchScale({
    goals: wanted.length === 0 ? SCALE_GOALS : SCALE_GOALS.filter((goal) => wanted.includes(goal)),
    nodes: values.nodes.split(",").map(Number),
    sets: Number(values.sets ?? 1000),
    replicas: 10,
    podNodes: 300,
    together: 20,
    restarts: Number(values.restarts),
    restartPods: 110,
    settleMs: 4_000,
    idleMs: 10_000,
    awaitSweep: true,
    svgPath: values.svg,
    tell: (line) => console.log(line),
  });
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}

async function runBenches(): Promise<void> {
  const wanted = positionals.length === 0 ? ["P1", "P3", "P6"] : positionals.map((name) => name.toUpperCase().replace("P1B", "P1"));
  const results: Record<string, unknown> = {};
  for (const name of new Set(wanted)) {
    console.log(`${name}:`);
    results[name] = await runBench(name);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}

async function runBench(name: string): Promise<unknown> {
  const rounds = Number(values.rounds);
  switch (name) {
    case "P1":
      return (await import("./in-place.js")).benchInPlace(rounds);
    case "P3":
      return (await import("./image-pull.js")).benchImagePull(rounds);
    case "P6":
      return (await import("./idle.js")).benchIdle({
        podsPerNode: Number(values.pods),
        sets: Number(values.sets ?? 10),
        idleMinutes: Number(values["idle-minutes"]),
      });
    default:
      throw new Error(`Cannot run "${name}": no such benchmark\n${USAGE}`);
  }
}
