import type { NodePodRestart, PodRestart, RestartRequest } from "../../api/node-pod-restart.js";
import { parseContainerId } from "../../core/container-restart/container-id.js";
import { decideRestart, type RestartDecision, type RestartObservation } from "../../core/container-restart/decide.js";
import { containerFacts } from "../../core/container-restart/facts.js";
import { lookAgainMs } from "../../core/container-restart/look-again.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { StoreChange } from "../../kube/store.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { AgentDependencies } from "../dependencies.js";
import type { CalledStops } from "./called-stops.js";
import { LiveEnvs } from "./live-envs.js";
import { PodObserver, type PodView } from "./observe.js";
import type { ReportBook } from "./report-book.js";
import { specChange } from "./sources.js";
import type { StatusWriter } from "./status-writer.js";
import type { StopEnd, StopRunner } from "./stop-runner.js";

export interface RestartParts {
  readonly book: ReportBook;
  readonly writer: StatusWriter;
  readonly runner: StopRunner;
  readonly calledStops: CalledStops;
}

/** Brings the containers of one pod to what the node's object asks, and reports on them. Key: the pod's UID. */
export class ContainerRestartReconciler implements Reconciler {
  readonly #deps: AgentDependencies;
  readonly #parts: RestartParts;
  readonly #observer: PodObserver;
  readonly #envs: LiveEnvs;
  /** Since when each unfinished request has had nothing to do but to look. */
  readonly #waitingSince = new Map<string, number>();

  constructor(deps: AgentDependencies, parts: RestartParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#observer = new PodObserver(deps, parts.calledStops);
    this.#envs = new LiveEnvs(deps.runtime);
  }

  /** Takes in a change of the node's object. @returns the pods to reconcile */
  noteChange(change: StoreChange<NodePodRestart>): readonly string[] {
    const { podUids, withdrawnIds, isNewGeneration } = specChange(change);
    for (const id of withdrawnIds) {
      this.#parts.runner.withdraw(id);
      this.#waitingSince.delete(id);
    }
    if (isNewGeneration) this.#parts.writer.writeSoon();
    return podUids;
  }

  /** Takes in the end of a stop, before its pod is reconciled again. */
  noteStopEnd({ order, failure }: StopEnd): void {
    if (failure === undefined) return;
    const { phase } = this.#parts.book.of(order.podUid).results.get(order.id) ?? { phase: "Waiting" };
    const message = failureMessage(failure).slice(0, MAX_MESSAGE_LENGTH);
    this.#parts.book.setResult(order.podUid, { id: order.id, phase, reason: "StopFailed", message });
    this.#parts.writer.writeSoon();
  }

  async reconcile(podUid: string, signal: AbortSignal): Promise<ReconcileResult> {
    const asked = this.#asked(podUid);
    if (asked === undefined) {
      this.#parts.book.forget(podUid);
      this.#envs.forget(podUid);
      return {};
    }
    const isAgain = asked.requests.every(({ id }) => this.#waitingSince.has(id) || this.#parts.runner.isRunning(id));
    const [view] = await Promise.all([this.#observer.look({ podUid, isAgain }, signal), this.#readAhead(asked, signal)]);
    // All of them end before this does: a pod is never worked on twice at a time, and one container's failure is not the others'.
    const steps = await Promise.allSettled(asked.requests.map((request) => this.#advance({ asked, request, view }, signal)));
    // The spec may have changed during the look; then this pod is queued again, and what nobody asks for any more stays unsaid.
    this.#parts.book.keepResults(podUid, new Set(this.#asked(podUid)?.requests.map(({ id }) => id)));
    this.#noteFacts(asked, view);
    const progress = steps.map((step) => (step.status === "fulfilled" ? step.value : "busy"));
    // Nobody can go on before all that was asked about this pod is told, so what is told earlier may take its time.
    if (progress.every((step) => step === "finished")) this.#parts.writer.writeNow();
    else this.#parts.writer.writeSoon();
    for (const step of steps) if (step.status === "rejected") throw step.reason;
    const nextMs = Math.min(...progress.map((step) => (typeof step === "number" ? step : Number.POSITIVE_INFINITY)));
    return Number.isFinite(nextMs) ? { requeueAfterMs: nextMs } : {};
  }

  #asked(podUid: string): PodRestart | undefined {
    return this.#deps.informers.nodePodRestarts.store.get(this.#deps.nodeName)?.spec.podRestarts?.find(({ uid }) => uid === podUid);
  }

  /** Reads, beside the look, the env on which each new stop hangs. What fails here is asked again where it is needed, and reported there. */
  async #readAhead({ uid: podUid, requests }: PodRestart, signal: AbortSignal): Promise<void> {
    const { results } = this.#parts.book.of(podUid);
    const isNew = ({ id }: RestartRequest): boolean =>
      !this.#waitingSince.has(id) && !this.#parts.runner.isRunning(id) && results.get(id) === undefined;
    const questions = requests.filter(isNew).flatMap(({ stopWhile, containerID = "", envNames = [] }) => {
      const instanceId = stopWhile === undefined ? undefined : parseContainerId(containerID)?.id;
      return instanceId === undefined ? [] : [{ podUid, instanceId, envNames }];
    });
    const unknown = questions.filter((question) => this.#envs.known(question) === undefined);
    await Promise.allSettled(unknown.map((question) => this.#envs.read(question, signal)));
  }

  async #advance(step: Step, signal: AbortSignal): Promise<Progress> {
    if (this.#parts.runner.isRunning(step.request.id)) return "busy";
    const decision = await this.#decide(step, signal);
    if (!this.#isStillAsked(step)) return "busy"; // withdrawn meanwhile, which has queued the pod again
    switch (decision.type) {
      case "stop":
        return this.#stop(step, decision);
      case "finish":
        this.#note(step, decision);
        this.#waitingSince.delete(step.request.id);
        return "finished";
      case "wait":
        this.#note(step, decision);
        return this.#lookAgain(step.request.id);
      case "inspect":
        return this.#lookAgain(step.request.id); // it vanished while it was looked at
    }
  }

  async #decide({ asked, request, view }: Step, signal: AbortSignal): Promise<RestartDecision> {
    const { envNames = [] } = request;
    const observation: RestartObservation = {
      podUid: asked.uid,
      ...view,
      envOf: (instanceId) => this.#envs.known({ podUid: asked.uid, instanceId, envNames }),
      previous: this.#parts.book.of(asked.uid).results.get(request.id),
    };
    const decision = decideRestart(request, observation);
    if (decision.type !== "inspect") return decision;
    try {
      await this.#envs.read({ podUid: asked.uid, instanceId: decision.instanceId, envNames }, signal);
    } catch (error) {
      if (failureKind(error) === "missing") return decision;
      throw error;
    }
    return decideRestart(request, observation);
  }

  #isStillAsked({ asked, request }: Step): boolean {
    return this.#asked(asked.uid)?.requests.some(({ id }) => id === request.id) === true;
  }

  #stop({ asked, request }: Step, decision: Extract<RestartDecision, { type: "stop" }>): Progress {
    this.#waitingSince.delete(request.id);
    const { instanceId, graceSeconds, preStop } = decision;
    const pod = `${asked.namespace}/${asked.name}`;
    const { id, container } = request;
    return this.#parts.runner.start({ podUid: asked.uid, pod, id, container, instanceId, graceSeconds, preStop }) || "busy";
  }

  #note({ asked }: Step, { result }: Extract<RestartDecision, { type: "finish" | "wait" }>): void {
    if (result === undefined) return;
    const known = this.#parts.book.of(asked.uid).results.get(result.id);
    if (known?.phase === result.phase && known.reason === result.reason) return;
    this.#parts.book.setResult(asked.uid, result);
  }

  #lookAgain(id: string): number {
    const nowMs = this.#deps.clock.monotonicMs();
    const sinceMs = this.#waitingSince.get(id) ?? nowMs;
    this.#waitingSince.set(id, sinceMs);
    const periodMs = lookAgainMs(nowMs - sinceMs);
    return periodMs - (nowMs % periodMs); // on a common beat, so that pods share their lists
  }

  #noteFacts(asked: PodRestart, { runtimeName, instances }: PodView): void {
    const namesOf = new Map(
      asked.requests.flatMap(({ container, envNames }) => (envNames === undefined ? [] : [[container, envNames] as const])),
    );
    const facts = containerFacts({
      runtimeName,
      instances,
      envHashOf: ({ id, container }) => {
        const envNames = namesOf.get(container);
        const env = envNames && this.#envs.known({ podUid: asked.uid, instanceId: id, envNames });
        return env?.type === "hash" ? env.hash : undefined;
      },
    });
    this.#parts.book.setContainers(asked, facts);
  }
}

/** A number: milliseconds until the request needs another look. busy: an event will come. finished: nothing is left to wait for. */
type Progress = number | "busy" | "finished";

interface Step {
  readonly asked: PodRestart;
  readonly request: RestartRequest;
  readonly view: PodView;
}

const MAX_MESSAGE_LENGTH = 1024;
