import type { Pod } from "../../src/api/pod.js";
import { PODS } from "../../src/api/resources.js";
import type { ApiState } from "../../src/sim/api-server/api-state.js";
import { toTime } from "../../src/sim/api-server/object-rules.js";

/** A pod with this label goes to the node that it names. */
export const NODE_LABEL = "bench.podmend.io/node";

const STRATEGIC = "application/strategic-merge-patch+json";

/** Gives every new pod a node at once, in turn: the least that a scheduler does. */
export function bindPods(state: ApiState, nodeNames: readonly string[]): void {
  let turn = 0;
  state.database.watch({ kind: state.kind(PODS) }, ({ type, object }) => {
    const pod = object as unknown as Pod;
    if (type !== "ADDED" || pod.spec.nodeName !== undefined) return;
    const wanted = pod.metadata.labels?.[NODE_LABEL] ?? nodeNames[turn++ % nodeNames.length];
    // Not within the write that tells of the pod.
    setImmediate(() => bind(state, pod, wanted ?? ""));
  });
}

function bind(state: ApiState, { metadata }: Pod, node: string): void {
  const address = { namespace: metadata.namespace, name: metadata.name };
  state.patch(PODS, address, { contentType: STRATEGIC, body: { spec: { nodeName: node } } });
  const condition = { type: "PodScheduled", status: "True", lastTransitionTime: toTime(state.clock.nowMs()) };
  state.patch(PODS, address, { contentType: STRATEGIC, body: { status: { conditions: [condition] } }, subresource: "status" });
}
