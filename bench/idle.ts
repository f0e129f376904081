import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import type { Pod } from "../src/api/pod.js";
import { applyCloneSet, dropNamespace, envFrom, makeNamespace, nodeNames, podmendPods, settled } from "../test/e2e/support/cluster.js";
import { containerPid } from "../test/e2e/support/processes.js";
import { verdict } from "./statistics.js";

/** How much is settled on the cluster while nothing happens. */
export interface IdleOptions {
  readonly podsPerNode: number;
  readonly sets: number;
  readonly idleMinutes: number;
}

const SWEEP_MS = 75_000;
const AGENT_USER = "system:serviceaccount:podmend-system:podmend-agent";
const WRITE_VERBS: readonly string[] = ["create", "update", "patch", "delete", "deletecollection"];
/** As the kernel numbers TCP states. */
const ESTABLISHED = "01";
const API_SERVER_PORT = 443;
const CLOCK_TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"]).toString());

/** P6: memory, CPU, connections and API writes of agents and controllers while settled pods just run. */
export async function benchIdle(options: IdleOptions): Promise<Readonly<Record<string, unknown>>> {
  const namespace = await makeNamespace("bench-idle");
  try {
    await settlePods(namespace, options);
    // What ran before is swept from the node objects within this time; that is no cost of resting.
    await new Promise((resolve) => setTimeout(resolve, SWEEP_MS));
    const since = new Date().toISOString();
    const before = await observe();
    await new Promise((resolve) => setTimeout(resolve, options.idleMinutes * 60_000));
    const after = await observe();
    const agentWrites = countWrites(since);
    const seconds = options.idleMinutes * 60;
    const processes = after.map((process, index) => ({
      ...process,
      cpuPercent: ((process.cpuSeconds - (before[index]?.cpuSeconds ?? 0)) / seconds) * 100,
    }));
    for (const { name, rssMiB, cpuPercent, tcpConnections, runtimeConnections } of processes) {
      console.log(
        `  ${name.padEnd(40)} RSS ${rssMiB.toFixed(1)} MiB, CPU ${cpuPercent.toFixed(2)} %, TCP ${tcpConnections}, runtime ${runtimeConnections}`,
      );
    }
    const most = (component: string, pick: (process: (typeof processes)[number]) => number): number =>
      Math.max(...processes.filter((process) => process.component === component).map(pick));
    console.log(
      verdict(
        "P6 agent RSS MiB, goal",
        most("agent", ({ rssMiB }) => rssMiB),
        64,
      ),
    );
    console.log(
      verdict(
        "P6 agent RSS MiB, at most",
        most("agent", ({ rssMiB }) => rssMiB),
        76,
      ),
    );
    console.log(
      verdict(
        "P6 agent CPU %",
        most("agent", ({ cpuPercent }) => cpuPercent),
        0.5,
      ),
    );
    console.log(verdict("P6 agent API writes", agentWrites, 0));
    console.log(
      verdict(
        "controller RSS MiB",
        most("controller", ({ rssMiB }) => rssMiB),
        110,
      ),
    );
    return { options, processes, agentWrites };
  } finally {
    await dropNamespace(namespace);
  }
}

async function settlePods(namespace: string, { podsPerNode, sets }: IdleOptions): Promise<void> {
  const total = podsPerNode * (await nodeNames()).length;
  for (let index = 0; index < sets; index++) {
    const replicas = Math.floor(total / sets) + (index < total % sets ? 1 : 0);
    const labels = { group: namespace };
    const spread = {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: labels },
    };
    const container = { name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] };
    const side = (name: string): object => ({ name, image: "lab.local/app:v1", command: ["sleep", "1000000"] });
    const podSpec = { topologySpreadConstraints: [spread], containers: [container, side("side"), side("other")] };
    await applyCloneSet({ name: `idle-${index}`, namespace, replicas, labels, annotations: { config: "one" }, podSpec });
  }
  for (let index = 0; index < sets; index++) await settled({ name: `idle-${index}`, namespace }, 600_000);
}

interface ProcessState {
  readonly name: string;
  readonly component: string;
  readonly rssMiB: number;
  readonly cpuSeconds: number;
  readonly tcpConnections: number;
  readonly runtimeConnections: number;
}

async function observe(): Promise<readonly ProcessState[]> {
  const states: ProcessState[] = [];
  for (const component of ["agent", "controller"] as const) {
    for (const pod of await podmendPods(component)) states.push(await observePod(pod, component));
  }
  return states;
}

async function observePod(pod: Pod, component: string): Promise<ProcessState> {
  const pid = await containerPid(pod, component);
  const rssKiB = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  return {
    name: pod.metadata.name,
    component,
    rssMiB: rssKiB / 1024,
    cpuSeconds,
    tcpConnections: countEstablished(pid),
    runtimeConnections: countRuntimeConnections(pid),
  };
}

/** Connections that the process opened to the API server; those that probes open to it are not its own. */
function countEstablished(pid: number): number {
  const connections = readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  const remotePort = (remote: string | undefined): number => Number.parseInt(remote?.split(":")[1] ?? "0", 16);
  return connections.filter(([, , remote, state]) => state === ESTABLISHED && remotePort(remote) === API_SERVER_PORT).length;
}

function countRuntimeConnections(pid: number): number {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => readLink(`/proc/${pid}/fd/${fd}`))
      .map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1])
      .filter((inode) => inode !== undefined),
  );
  const sockets = readFileSync(`/proc/${pid}/net/unix`, "utf8").split("\n").slice(1);
  return sockets
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => inodes.has(fields[6] ?? "") && fields[5] === "03" && fields[4] === "0001").length;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed between listing and looking
  }
}

function countWrites(since: string): number {
  const path = process.env["AUDIT_LOG"];
  if (path === undefined) throw new Error("AUDIT_LOG is not set: run through npm run -s cluster:exec");
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes(AGENT_USER))
    .map((line) => JSON.parse(line) as { verb: string; stage: string; requestReceivedTimestamp: string; user: { username: string } })
    .filter(({ verb, stage, requestReceivedTimestamp, user }) => {
      return user.username === AGENT_USER && stage === "ResponseComplete" && WRITE_VERBS.includes(verb) && requestReceivedTimestamp > since;
    }).length;
}
