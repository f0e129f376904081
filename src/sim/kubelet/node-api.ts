import type { StringMap } from "../../api/meta.js";
import type { Pod, PodStatus } from "../../api/pod.js";
import { EVENTS, PODS } from "../../api/resources.js";
import type { Clock } from "../../lib/clock.js";
import type { ApiState } from "../api-server/api-state.js";
import { isObject, type JsonObject } from "../api-server/json.js";
import { toTime } from "../api-server/object-rules.js";
import { addressOf, liveObject, livePod } from "./live-pod.js";
import { PodFeed, type PodListener } from "./pod-feed.js";

/** Something that happened to a pod, for people. */
export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

/** What a kubelet asks of the API server. */
export interface NodeApi {
  /** Tells of every pod of the node, now and whenever one changes. @returns the function that ends it */
  watchPods(listener: PodListener): () => void;
  /** Writes the kubelet's part of a status; conditions of others stay. Nothing is written for a pod that is gone or another one. */
  writeStatus(pod: Pod, status: PodStatus): void;
  /** Says that nothing of the pod is left. */
  finishDeletion(pod: Pod): void;
  record(pod: Pod, event: NodeEvent): void;
  configMap(namespace: string, name: string): StringMap | undefined;
}

/** The same with the network in between. */
export interface NodeConnection extends NodeApi {
  /** Nothing gets through any more; what was under way to here is lost. */
  disconnect(): void;
  /** Lists anew, writes what waited, and goes on. */
  reconnect(): void;
  /** From now on writes wait for their turn, as behind a rate limit; what happens in the API server is still told. */
  holdWrites(): void;
  /** Makes the writes that waited, and from now on each at once. */
  releaseWrites(): void;
}

export interface NodeApiOptions {
  readonly state: ApiState;
  readonly clock: Clock;
  readonly nodeName: string;
  /** From a change in the API server to its arrival here; asked anew each time where it is a function. Changes never overtake each other. */
  readonly lagMs: number | (() => number);
}

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true } as const;
const STRATEGIC = "application/strategic-merge-patch+json";

/** The port of one node's kubelet onto a model of the API server: make one for each life of a kubelet. */
export function createNodeApi(options: NodeApiOptions): NodeConnection {
  const { state, clock, nodeName } = options;
  const feed = new PodFeed(options);
  const waiting = new Map<string, () => void>();
  let isHeld = false;
  /** Of several writes about one thing only the last is made. */
  const write = (key: string, act: () => void): void => {
    if (feed.isConnected && !isHeld) act();
    else waiting.set(key, act);
  };
  const writeWaiting = (): void => {
    if (!feed.isConnected || isHeld) return;
    const acts = [...waiting.values()];
    waiting.clear();
    for (const act of acts) act();
  };
  return {
    watchPods: (listener) => feed.watch(listener),
    disconnect: () => feed.disconnect(),
    reconnect() {
      if (feed.isConnected) return;
      feed.connect();
      writeWaiting();
    },
    holdWrites() {
      isHeld = true;
    },
    releaseWrites() {
      isHeld = false;
      writeWaiting();
    },
    writeStatus: (pod, status) => write(`status of ${uidOf(pod)}`, () => patchStatus(state, pod, status)),
    finishDeletion: (pod) =>
      write(`end of ${uidOf(pod)}`, () => {
        if (livePod(state, pod) !== undefined) state.delete(PODS, addressOf(pod), { gracePeriodSeconds: 0 });
      }),
    record(pod, event) {
      if (!feed.isConnected || livePod(state, pod) === undefined) return;
      state.create(EVENTS, eventObject(pod, event, { nodeName, nowMs: clock.nowMs() }), pod.metadata.namespace);
    },
    configMap(namespace, name) {
      const found = liveObject(state, CONFIG_MAPS, { namespace, name });
      return isObject(found?.["data"]) ? (found["data"] as StringMap) : undefined;
    },
  };
}

function patchStatus(state: ApiState, pod: Pod, status: PodStatus): void {
  if (livePod(state, pod) === undefined) return;
  state.patch(PODS, addressOf(pod), { contentType: STRATEGIC, body: { status: { ...status } }, subresource: "status" });
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
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
