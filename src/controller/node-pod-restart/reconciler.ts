import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { Node } from "../../api/pod.js";
import { buildPodRestarts } from "../../core/container-restart/requests.js";
import { refusedReports } from "../../core/container-restart/trusted-report.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { ControllerDependencies } from "../dependencies.js";
import { isOwnedBy, NodeObjectWriter } from "./apply.js";
import { observeNode, type NodeSources } from "./observe.js";
import { RestartReporter } from "./reporter.js";

/** Changes of many pods that come within this time share one write of their node's object. */
const MIN_WRITE_GAP_MS = 100;
/** A look at a node costs what its pods in mid-update cost, and each of their changes asks for one: the more there are, the longer they share one. */
const GAP_MS_PER_POD = 4;
const MAX_GAP_MS = 400;

/** What one round leaves to the next; losing it only makes waits start over. */
interface NodeMemory {
  readonly sightings: ReadonlyMap<string, number>;
  /** No look before this. */
  readonly notBeforeMs: number;
}

const NOTHING_SEEN: NodeMemory = { sightings: new Map(), notBeforeMs: Number.NEGATIVE_INFINITY };

/** Keeps the spec of each node's object equal to what the node's pods ask of the agent. Key: the node's name. */
export class NodePodRestartReconciler implements Reconciler {
  readonly #deps: ControllerDependencies;
  readonly #sources: NodeSources;
  readonly #writer: NodeObjectWriter;
  readonly #reporter: RestartReporter;
  readonly #memory = new Map<string, NodeMemory>();

  constructor(deps: ControllerDependencies, sources: NodeSources) {
    this.#deps = deps;
    this.#sources = sources;
    this.#writer = new NodeObjectWriter(deps.client, deps.informers.nodePodRestarts);
    this.#reporter = new RestartReporter(deps.events, deps.metrics);
  }

  async reconcile(nodeName: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { nodes, nodePodRestarts } = this.#deps.informers;
    const node = nodes.store.get(nodeName);
    if (node === undefined || isVirtual(node)) {
      this.#memory.delete(nodeName);
      this.#reporter.forget(nodeName);
      return {};
    }
    const previous = nodePodRestarts.store.get(nodeName);
    if (previous !== undefined) return this.#bringUpToDate(node, previous, signal);
    return afterWrite(await this.#writer.create(node, signal));
  }

  async #bringUpToDate(node: Node, previous: NodePodRestart, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock } = this.#deps;
    const { name } = node.metadata;
    const memory = this.#memory.get(name) ?? NOTHING_SEEN;
    const nowMs = clock.monotonicMs();
    if (nowMs < memory.notBeforeMs) return { requeueAfterMs: memory.notBeforeMs - nowMs };
    const observed = observeNode(previous, this.#sources);
    const arePodsOld = !this.#deps.informers.pods.isFollowing();
    const built = buildPodRestarts({ ...observed, arePodsOld, nowMs, sightings: memory.sightings });
    const gapMs = Math.min(MAX_GAP_MS, (observed.wishes.length - 1) * GAP_MS_PER_POD);
    this.#memory.set(name, { sightings: built.sightings, notBeforeMs: nowMs + gapMs });
    this.#reporter.tell({ object: previous, pods: observed.pods, reports: built.reports, refused: refusedReports(previous) });
    const podRestarts = built.podRestarts ?? (isOwnedBy(previous, node) ? undefined : (previous.spec.podRestarts ?? []));
    if (podRestarts === undefined) return requeueAfter(built.requeueAfterMs);
    this.#memory.set(name, { sightings: built.sightings, notBeforeMs: clock.monotonicMs() + Math.max(gapMs, MIN_WRITE_GAP_MS) });
    return afterWrite(await this.#writer.write({ node, previous, podRestarts }, signal));
  }
}

/** The arrival of a write's answer in the cache queues the node again; after a conflict nothing may arrive. */
function afterWrite(isWritten: boolean): ReconcileResult {
  return isWritten ? {} : { requeueAfterMs: MIN_WRITE_GAP_MS };
}

function requeueAfter(requeueAfterMs: number | undefined): ReconcileResult {
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** A virtual node has no runtime of ours and no agent. Source: spec/node-agent.md 7.1 */
function isVirtual({ metadata }: Node): boolean {
  return metadata.labels?.["type"] === "virtual-kubelet";
}
