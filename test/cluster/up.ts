import { mkdirSync } from "node:fs";
import { ensureBinaries } from "./binaries.js";
import { createCertificates } from "./certificates.js";
import { startControlPlane } from "./control-plane.js";
import { takeDown } from "./down.js";
import { isHealthy, waitForNodes } from "./health.js";
import { ensureTestImages, pushTestImages } from "./images.js";
import { writeKubeconfig } from "./kubeconfig.js";
import { startNetwork } from "./network.js";
import { startNode } from "./node.js";
import { ensurePrerequisites } from "./prerequisites.js";
import { startRegistry } from "./registry.js";
import { say } from "./shell.js";
import { type ClusterPaths, readRecord, writeRecord } from "./state.js";

/** What `up` is asked for. */
export type UpOptions = {
  /** At least that many nodes run afterwards. */
  readonly nodes: number;
  readonly mayInstall: boolean;
};

/**
 * Makes the cluster run with at least the wanted number of nodes, all of them Ready.
 *
 * Changes nothing when it does so already, adds nodes where some are missing, and replaces a cluster that is half started or broken.
 *
 * @throws {MissingPrerequisite} with the command to run when this machine lacks something that may not be installed
 */
export async function bringUp(paths: ClusterPaths, options: UpOptions): Promise<void> {
  await ensurePrerequisites(options.mayInstall);
  if (!(await isHealthy(paths))) await startAnew(paths);
  await addNodes(paths, options.nodes);
}

async function startAnew(paths: ClusterPaths): Promise<void> {
  if (readRecord(paths) !== undefined) say(`Cluster "${paths.instance}" is half started or broken: starting it anew`);
  await takeDown(paths);
  const [layout] = await Promise.all([ensureTestImages(paths), ensureBinaries(paths)]);
  say(`Starting cluster "${paths.instance}"`);
  mkdirSync(paths.logs, { recursive: true });
  await createCertificates(paths);
  writeKubeconfig(paths, "admin", paths.kubeconfig);
  await startNetwork(paths);
  await Promise.all([startRegistry(paths).then(() => pushTestImages(paths, layout)), startControlPlane(paths)]);
}

async function addNodes(paths: ClusterPaths, wanted: number): Promise<void> {
  const present = readRecord(paths)?.nodes ?? [];
  const all = [...present];
  for (let number = present.length + 1; number <= wanted; number++) {
    const node = `node${number}`;
    await startNode(paths, node, all);
    all.push(node);
  }
  if (all.length > present.length) await waitForNodes(paths, all);
  const record = readRecord(paths);
  if (record !== undefined) writeRecord(paths, { ...record, complete: true, nodes: all });
}
