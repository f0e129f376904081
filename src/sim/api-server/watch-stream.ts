import type { Clock } from "../../lib/clock.js";
import { type ApiError, expired } from "./api-error.js";
import type { ApiState } from "./api-state.js";
import type { ChangeRecord } from "./database.js";
import type { JsonObject, StoredObject } from "./json.js";
import { matcherOf } from "./list-request.js";
import { interestOf } from "./listeners.js";
import { apiVersionOf } from "./served-kinds.js";
import type { RequestUrl } from "./request-url.js";
import type { Matcher } from "./selectors.js";
import type { ServedKind } from "./served-kinds.js";

/** Where a watch writes to. */
export interface WatchSink {
  /** @param text the event as JSON; whatever the number of watches, an object is made into text once */
  event(event: JsonObject, text: string): void;
  end(): void;
}

export interface WatchOptions {
  readonly url: RequestUrl;
  readonly sink: WatchSink;
  readonly bookmarkPeriodMs: number;
}

type ObjectEvent = { readonly type: ChangeRecord["type"]; readonly object: StoredObject };

const DEFAULT_TIMEOUT_SECONDS = 1800;

/** Serves one watch. @returns the function that stops it; it does not end the sink */
export function startWatch(state: ApiState, options: WatchOptions): () => void {
  const { url, sink } = options;
  const kind = state.kind(url);
  const matches = matcherOf(url);
  const tell = (record: ChangeRecord): void => {
    const event = toEvent(record, matches);
    if (event !== undefined) sink.event(event, textOf(event, record));
  };
  const missed = missedChanges(state, kind, url);
  if (missed === undefined) {
    sendEvent(sink, errorEvent(expired(`too old resource version: ${url.query.get("resourceVersion") ?? ""}`)));
    sink.end();
    return () => undefined;
  }
  for (const record of missed) tell(record);
  const unsubscribe = state.database.watch(interestOf(kind, url.query.get("fieldSelector") ?? ""), tell);
  const stopTimers = startTimers(state, kind, options);
  return () => {
    unsubscribe();
    stopTimers();
  };
}

/** An ERROR event, as a watch reports failures after its headers. */
export function errorEvent(error: ApiError): JsonObject {
  return { type: "ERROR", object: error.toStatus() };
}

/** Writes an event that nobody else is told of. */
export function sendEvent(sink: WatchSink, event: JsonObject): void {
  sink.event(event, JSON.stringify(event));
}

/** Without a resourceVersion a watch starts with the present objects. */
function missedChanges(state: ApiState, kind: ServedKind, { query }: RequestUrl): readonly ChangeRecord[] | undefined {
  const from = query.get("resourceVersion") ?? "";
  if (from !== "" && from !== "0") return state.database.changesAfter(Number(from))?.filter((record) => record.kind === kind);
  return state.list(kind).map((object) => ({ revision: 0, kind, type: "ADDED", object, text: JSON.stringify(object) }));
}

/** An object that enters or leaves the selector is added or deleted, as far as this watch goes. */
function toEvent({ type, object, before }: ChangeRecord, matches: Matcher): ObjectEvent | undefined {
  const was = before !== undefined && matches(before);
  const is = type !== "DELETED" && matches(object);
  if (is) return { type: was ? "MODIFIED" : "ADDED", object };
  if (!was) return undefined;
  const last: StoredObject = { ...before, metadata: { ...before.metadata, resourceVersion: object.metadata.resourceVersion } };
  return { type: "DELETED", object: type === "DELETED" ? object : last };
}

function textOf({ type, object }: ObjectEvent, record: ChangeRecord): string {
  return `{"type":"${type}","object":${object === record.object ? record.text : JSON.stringify(object)}}`;
}

function startTimers(state: ApiState, kind: ServedKind, { url, sink, bookmarkPeriodMs }: WatchOptions): () => void {
  const { clock } = state;
  const seconds = Number(url.query.get("timeoutSeconds") ?? DEFAULT_TIMEOUT_SECONDS);
  const cancelEnd = clock.schedule(seconds * 1000, () => {
    cancelBookmarks();
    sink.end();
  });
  const wantsBookmarks = url.query.get("allowWatchBookmarks") === "true";
  const cancelBookmarks = wantsBookmarks ? repeat(clock, bookmarkPeriodMs, () => sendEvent(sink, bookmark(state, kind))) : () => undefined;
  return () => {
    cancelEnd();
    cancelBookmarks();
  };
}

function bookmark(state: ApiState, kind: ServedKind): JsonObject {
  const metadata = { resourceVersion: String(state.database.revision()), creationTimestamp: null };
  return { type: "BOOKMARK", object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } };
}

function repeat(clock: Clock, periodMs: number, act: () => void): () => void {
  let cancel = clock.schedule(periodMs, tick);
  function tick(): void {
    act();
    cancel = clock.schedule(periodMs, tick);
  }
  return () => cancel();
}
