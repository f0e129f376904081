import { setTimeout as sleep } from "node:timers/promises";
import { daemonFailure } from "./daemon.js";
import { isApiReady, kubectl } from "./kubectl.js";
import { isRunning } from "./process-identity.js";
import { waitUntil } from "./shell.js";
import { type ClusterPaths, readRecord } from "./state.js";

const NODE_TIMEOUT_MS = 120_000;
const PATIENCE_MS = 30_000;

/** Whether `up` once came to its end, every background program still runs, the API server answers and all nodes are Ready; waits up to 30 s for that. */
export async function isHealthy(paths: ClusterPaths): Promise<boolean> {
  const record = readRecord(paths);
  const endMs = Date.now() + PATIENCE_MS;
  while (record?.complete === true && Object.values(record.processes).every(isRunning)) {
    if ((await isApiReady(paths)) && (await areReady(paths, record.nodes))) return true;
    if (Date.now() > endMs) return false;
    await sleep(500);
  }
  return false;
}

/** Waits until the nodes are Ready and pods can be created. */
export async function waitForNodes(paths: ClusterPaths, nodes: readonly string[]): Promise<void> {
  await waitUntil({
    what: `nodes ${nodes.join(", ")}`,
    timeoutMs: NODE_TIMEOUT_MS,
    isDone: () => areReady(paths, nodes),
    failure: () => firstFailure(paths),
  });
  await waitUntil({ what: "service accounts", timeoutMs: NODE_TIMEOUT_MS, isDone: () => hasServiceAccount(paths) });
}

async function areReady(paths: ClusterPaths, nodes: readonly string[]): Promise<boolean> {
  const condition = '{.status.conditions[?(@.type=="Ready")].status}';
  try {
    const listing = await kubectl(paths, ["get", "nodes", "-o", `jsonpath={range .items[*]}{.metadata.name}=${condition} {end}`]);
    const ready = new Set(listing.split(" "));
    return nodes.every((node) => ready.has(`${node}=True`));
  } catch {
    return false; // not registered, or the API server is busy: asked again by the caller
  }
}

async function hasServiceAccount(paths: ClusterPaths): Promise<boolean> {
  return (await kubectl(paths, ["get", "serviceaccount", "default", "--ignore-not-found", "-o", "name"])) !== "";
}

function firstFailure(paths: ClusterPaths): string | undefined {
  for (const name of Object.keys(readRecord(paths)?.processes ?? {})) {
    const failure = daemonFailure(paths, name);
    if (failure !== undefined) return `"${name}" ${failure}`;
  }
  return undefined;
}
