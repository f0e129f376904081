import type { CloneSet } from "../../api/clone-set.js";
import type { KubeObject, ObjectReference } from "../../api/meta.js";
import type { Pod } from "../../api/pod.js";
import type { Failure, FailureCondition } from "../../core/clone-set/conditions.js";
import { compareGoStrings } from "../../core/values/go-json.js";
import type { EventFact } from "../../kube/event-recorder.js";
import { keyOf } from "../../kube/keys.js";
import { failureKind, failureMessage, type FailureKind } from "../../lib/failure.js";
import type { Logger } from "../../lib/logger.js";
import type { ControllerDependencies } from "../dependencies.js";

/** Upstream's name for the source of these events; dashboards and tests filter by it. */
const COMPONENT = "cloneset-controller";

// Undefined is a bug. A conflict only means that our cache is behind, and what brings it up to date brings us back.
const HEALS_FIRST: readonly (FailureKind | undefined)[] = ["transient", undefined, "denied", "unsupported", "invalid", "conflict"];

/** How a failed step is reported. */
export interface Step {
  readonly type: FailureCondition;
  readonly reason: string;
  /** Instead of the error's own message, where that would differ each time. */
  readonly message?: string;
}

/** One reconcile of one CloneSet: what its steps work with, and what they leave for the end. */
export class Pass {
  readonly deps: ControllerDependencies;
  readonly cloneSet: CloneSet;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly #announced: Failure[] = [];
  readonly #failures: Failure[] = [];
  readonly #errors: unknown[] = [];
  #requeueAfterMs: number | undefined;

  constructor(deps: ControllerDependencies, cloneSet: CloneSet, signal: AbortSignal) {
    this.deps = deps;
    this.cloneSet = cloneSet;
    this.signal = signal;
    this.logger = deps.logger.child({ component: "controller/clone-set", key: keyOf(cloneSet) });
  }

  /** What was announced before the rest; both by their text, since steps end in any order and a status must not change with that. */
  get failures(): readonly Failure[] {
    return [...inOrder(this.#announced), ...inOrder(this.#failures)];
  }

  /** Somebody has changed or deleted the CloneSet since this pass began: the next one, which waits already, goes by that. */
  get isOutdated(): boolean {
    const { uid, generation, deletionTimestamp } = this.cloneSet.metadata;
    const now = this.deps.informers.cloneSets.store.get(keyOf(this.cloneSet))?.metadata;
    return now?.uid !== uid || now?.generation !== generation || now?.deletionTimestamp !== deletionTimestamp;
  }

  get requeueAfterMs(): number | undefined {
    return this.#requeueAfterMs;
  }

  /** The error that says how to go on: the one that may heal soonest, so that one hopeless pod does not keep the others waiting. */
  get error(): unknown {
    return [...this.#errors].sort((a, b) => HEALS_FIRST.indexOf(failureKind(a)) - HEALS_FIRST.indexOf(failureKind(b)))[0];
  }

  /** Notes something that the user should know until it is over. */
  fail(type: FailureCondition, reason: string, message: string): void {
    this.#failures.push({ type, reason, message });
  }

  /** The same before all others, with a warning event unless the CloneSet says it already. */
  announce(type: FailureCondition, reason: string, message: string): void {
    this.#announced.push({ type, reason, message });
    const said = this.cloneSet.status?.conditions?.some((condition) => condition.type === type && condition.message?.includes(message));
    if (said !== true) this.record("Warning", reason, message);
  }

  /**
   * Notes that one step failed, so that the others go on.
   *
   * An object that is gone is no failure, and a conflict concerns nobody but us.
   * @returns true if the user is told
   * @throws the signal's reason if the step failed only because this process stops
   */
  failWith(error: unknown, { type, reason, message }: Step): boolean {
    this.signal.throwIfAborted();
    const kind = failureKind(error);
    if (kind === "missing") return false;
    this.#errors.push(error);
    if (kind !== "conflict") this.fail(type, reason, message ?? failureMessage(error));
    return kind !== "conflict";
  }

  /** Asks to come back after this long even if nothing changes; the shortest wish counts. */
  comeBackAfter(delayMs: number): void {
    this.#requeueAfterMs = Math.min(this.#requeueAfterMs ?? delayMs, delayMs);
  }

  /** Records an event about the CloneSet. */
  record(type: EventFact["type"], reason: string, message: string): void {
    const regarding = referenceTo(this.cloneSet, "apps.kruise.io/v1alpha1", "CloneSet");
    this.deps.events.record({ regarding, type, reason, message, component: COMPONENT });
  }

  /** Records a warning about one of its pods. */
  warnOnPod(pod: Pod, reason: string, message: string): void {
    this.deps.events.record({ regarding: referenceTo(pod, "v1", "Pod"), type: "Warning", reason, message, component: COMPONENT });
  }
}

function inOrder(failures: readonly Failure[]): readonly Failure[] {
  return [...failures].sort((a, b) => compareGoStrings(a.message, b.message));
}

function referenceTo({ metadata }: KubeObject, apiVersion: string, kind: string): ObjectReference {
  const { name, namespace, uid } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
}
