import type { StringMap } from "../../api/meta.js";
import type { Pod, PodStatus } from "../../api/pod.js";
import { EVENTS, PODS } from "../../api/resources.js";
import type { Clock } from "../../lib/clock.js";
import type { ApiState } from "../api-server/api-state.js";
import { isObject, type JsonObject } from "../api-server/json.js";
import { toTime } from "../api-server/object-rules.js";

/** Something that happened to a pod, for people. */
export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

/** What a kubelet asks of the API server. */
export interface NodeApi {
  /** Tells of every pod of the node, now and whenever one changes; `undefined`: it is gone. @returns the function that ends it */
  watchPods(listener: (uid: string, pod: Pod | undefined) => void): () => void;
  /** Writes the kubelet's part of a status; conditions of others stay. Nothing is written for a pod that is gone or another one. */
  writeStatus(pod: Pod, status: PodStatus): void;
  /** Says that nothing of the pod is left. */
  finishDeletion(pod: Pod): void;
  record(pod: Pod, event: NodeEvent): void;
  configMap(namespace: string, name: string): StringMap | undefined;
}

export interface NodeApiOptions {
  readonly state: ApiState;
  readonly clock: Clock;
  readonly nodeName: string;
  /** From a change in the API server to its arrival here. */
  readonly lagMs: number;
}

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true } as const;

/** The port of one node's kubelet onto a model of the API server. */
export function createNodeApi({ state, clock, nodeName, lagMs }: NodeApiOptions): NodeApi {
  const live = (pod: Pod): Pod | undefined => {
    const { namespace = "", name, uid } = pod.metadata;
    const found = state.list(PODS, namespace).find(({ metadata }) => metadata.name === name && metadata.uid === uid);
    return found as unknown as Pod | undefined;
  };
  return {
    watchPods: (listener) => watchPods({ state, clock, nodeName, lagMs }, listener),
    writeStatus(pod, status) {
      if (live(pod) === undefined) return;
      const body = { status: { ...status, containerStatuses: status.containerStatuses } };
      state.patch(PODS, addressOf(pod), { contentType: STRATEGIC, body, subresource: "status" });
    },
    finishDeletion(pod) {
      if (live(pod) !== undefined) state.delete(PODS, addressOf(pod), { gracePeriodSeconds: 0 });
    },
    record(pod, event) {
      if (live(pod) !== undefined)
        state.create(EVENTS, eventObject(pod, event, { nodeName, nowMs: clock.nowMs() }), pod.metadata.namespace);
    },
    configMap(namespace, name) {
      const found = state.list(CONFIG_MAPS, namespace).find(({ metadata }) => metadata.name === name);
      return isObject(found?.["data"]) ? (found["data"] as StringMap) : undefined;
    },
  };
}

const STRATEGIC = "application/strategic-merge-patch+json";

function addressOf({ metadata }: Pod): { readonly namespace: string | undefined; readonly name: string } {
  return { namespace: metadata.namespace, name: metadata.name };
}

function watchPods({ state, clock, nodeName, lagMs }: NodeApiOptions, listener: (uid: string, pod: Pod | undefined) => void): () => void {
  const timers = new Set<() => void>();
  const tell = (pod: Pod, isGone: boolean): void => {
    if (pod.spec.nodeName !== nodeName) return;
    const cancel = clock.schedule(lagMs, () => {
      timers.delete(cancel);
      listener(pod.metadata.uid ?? "", isGone ? undefined : pod);
    });
    timers.add(cancel);
  };
  for (const pod of state.list(PODS)) tell(pod as unknown as Pod, false);
  const unsubscribe = state.database.subscribe(({ kind, type, object }) => {
    if (kind.plural === "pods" && kind.group === "") tell(object as unknown as Pod, type === "DELETED");
  });
  return () => {
    unsubscribe();
    for (const cancel of timers) cancel();
  };
}

function eventObject(pod: Pod, event: NodeEvent, { nodeName, nowMs }: { nodeName: string; nowMs: number }): JsonObject {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  const { type, reason, message, container } = event;
  const fieldPath = container === undefined ? {} : { fieldPath: `spec.containers{${container}}` };
  const time = toTime(nowMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion, ...fieldPath },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: "kubelet", host: nodeName },
    reportingComponent: "kubelet",
    reportingInstance: nodeName,
  };
}
