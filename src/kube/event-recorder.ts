import type { ObjectReference } from "../api/meta.js";

/** One fact for the user, shown by `kubectl describe` on the object it is about. */
export interface EventFact {
  readonly regarding: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** CamelCase, stable, documented in docs/events.md. */
  readonly reason: string;
  readonly message: string;
  /** Shown as the event's source, where other programs expect a certain one; absent: the recorder's own. */
  readonly component?: string;
}

/** Records events in the background; equal facts are counted on one Event object. Never throws, never blocks a reconcile. */
export interface EventRecorder {
  record(fact: EventFact): void;
}
