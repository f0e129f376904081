import type { CloneSet } from "../../src/api/clone-set.js";
import type { KubeObject } from "../../src/api/meta.js";
import type { Pod } from "../../src/api/pod.js";
import { CLONE_SETS, EVENTS, NODE_POD_RESTARTS, PODS } from "../../src/api/resources.js";
import type { KubeClient } from "../../src/kube/client.js";
import { connect, serverAccess } from "./agent-host.js";
import { serveCalls } from "./calls.js";
import { NEVER } from "./never.js";
import type { ApiAccess } from "./product-process.js";
import { NAMESPACE } from "./workload.js";

/** How many writes of each kind are to be sent, and how many at a time. */
export interface BareMix {
  readonly api: ApiAccess;
  readonly pods: number;
  readonly cloneSets: number;
  readonly nodePodRestarts: number;
  readonly events: number;
  readonly lanes: number;
  readonly podNames: readonly string[];
  readonly cloneSetNames: readonly string[];
  readonly nodeNames: readonly string[];
}

type Send = (index: number) => Promise<unknown>;

const NO_LIMIT = -1;

/** A client that sends the writes of a rollout and nothing else: it decides nothing and follows nothing. */
const methods = {
  async run(mix: BareMix): Promise<{ readonly writes: number; readonly tookMs: number }> {
    const client = connect(serverAccess(mix.api), "bare", NO_LIMIT);
    const rest = plan(mix, senders(client, mix));
    const startMs = performance.now();
    const lane = async (): Promise<void> => {
      for (let send = rest.pop(); send !== undefined; send = rest.pop()) await send();
    };
    const writes = rest.length;
    await Promise.all(Array.from({ length: mix.lanes }, lane));
    return { writes, tookMs: performance.now() - startMs };
  },
};

export type BareMethods = typeof methods;
serveCalls(methods);

/** All writes, the kinds evenly mixed. */
function plan(
  mix: BareMix,
  sends: Readonly<Record<"pods" | "cloneSets" | "nodePodRestarts" | "events", Send>>,
): (() => Promise<unknown>)[] {
  const kinds = ["pods", "cloneSets", "nodePodRestarts", "events"] as const;
  const writes = kinds.flatMap((kind) => {
    return Array.from({ length: mix[kind] }, (_, index) => ({ place: index / mix[kind], act: () => sends[kind](index) }));
  });
  return writes.sort((a, b) => b.place - a.place).map(({ act }) => act);
}

function senders(client: KubeClient, { podNames, cloneSetNames, nodeNames }: BareMix): Parameters<typeof plan>[1] {
  const pick = (names: readonly string[], index: number): string => names[index % names.length] ?? "";
  return {
    pods(index) {
      const target = { namespace: NAMESPACE, name: pick(podNames, index) };
      const turn = Math.floor(index / podNames.length);
      if (turn % 3 === 1) {
        const annotations = { "bench.podmend.io/state": `${String(turn)} ${"x".repeat(STATE_LENGTH)}` };
        return client.patch<Pod>(PODS, { target, type: "strategic", body: { metadata: { annotations } } }, NEVER);
      }
      const condition = { type: "BenchReady", status: turn % 3 === 0 ? "False" : "True", message: String(turn) };
      return client.patch<Pod>(
        PODS,
        { target, type: "strategic", subresource: "status", body: { status: { conditions: [condition] } } },
        NEVER,
      );
    },
    cloneSets(index) {
      const target = { namespace: NAMESPACE, name: pick(cloneSetNames, index) };
      const body = { status: { updatedReplicas: 1_000_000 + index } };
      return client.patch<CloneSet>(CLONE_SETS, { target, type: "merge", subresource: "status", body }, NEVER);
    },
    nodePodRestarts(index) {
      const body = { metadata: { annotations: { "bench.podmend.io/state": `${String(index)} ${"x".repeat(STATE_LENGTH)}` } } };
      return client.patch(NODE_POD_RESTARTS, { target: { name: pick(nodeNames, index) }, type: "merge", body }, NEVER);
    },
    events: (index) => client.create(EVENTS, event(index), NEVER),
  };
}

/** About as long as what an update leaves on a pod. */
const STATE_LENGTH = 600;

function event(index: number): KubeObject {
  const metadata = { name: `bare-${String(index)}-${String(Math.random()).slice(2)}`, namespace: NAMESPACE };
  const involvedObject = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", namespace: NAMESPACE, name: "set", uid: "uid" };
  return { metadata, involvedObject, type: "Normal", reason: "Bare", message: "a write of the floor", count: 1 } as KubeObject;
}
