import type { KubeObject, ObjectReference } from "../api/meta.js";
import type { PatchRequest } from "./client.js";

/** Who records events. */
export interface EventSource {
  /** Such as `podmend-agent`; a fact may name another one. */
  readonly component: string;
  /** The pod that this process is, for `reportingInstance`. */
  readonly instance: string;
  /** The node, for events of a node's agent. */
  readonly host?: string;
}

/** A fact and how often it was recorded. */
export interface RepeatedFact {
  readonly fact: {
    readonly regarding: ObjectReference;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly component: string;
  };
  /** Makes the Event's name unique. */
  readonly suffix: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  readonly isWritten: boolean;
}

/** Limits of the API: names have 253 characters, messages 1024. */
const MAX_NAME = 236;
const MAX_MESSAGE = 1024;

/** The core/v1 Event object for a fact that was not written yet. */
export function newEvent({ fact, suffix, firstMs, lastMs, count }: RepeatedFact, source: EventSource): KubeObject {
  const { regarding, type, reason, message, component } = fact;
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: eventName(regarding, suffix), namespace: eventNamespace(regarding) },
    involvedObject: regarding,
    reason,
    message: message.slice(0, MAX_MESSAGE),
    type,
    count,
    firstTimestamp: toSeconds(firstMs),
    lastTimestamp: toSeconds(lastMs),
    source: { component, ...(source.host === undefined ? {} : { host: source.host }) },
    reportingComponent: component,
    reportingInstance: source.instance,
  };
  return event;
}

/** The patch that counts a fact up on its Event. */
export function countPatch({ fact, suffix, count, lastMs }: RepeatedFact): PatchRequest {
  const target = { name: eventName(fact.regarding, suffix), namespace: eventNamespace(fact.regarding) };
  return { target, type: "merge", body: { count, lastTimestamp: toSeconds(lastMs) } };
}

function eventName({ name = "unknown" }: ObjectReference, suffix: string): string {
  return `${name.slice(0, MAX_NAME)}.${suffix}`;
}

function eventNamespace({ namespace = "default" }: ObjectReference): string {
  return namespace === "" ? "default" : namespace;
}

function toSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
