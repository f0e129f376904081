import type { ContainerState, Pod } from "../../../src/api/pod.js";

/** Anything that is sent as JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** What a scenario does with its pod, and how it waits. Times are those of the kubelet under test: virtual ones for the model. */
export interface Run {
  /** Strategic merge patch. */
  patch(body: Json, subresource?: "status"): Promise<void>;
  remove(gracePeriodSeconds?: number): Promise<void>;
  /** Kills the first process of a container, from outside. */
  kill(container: string): Promise<void>;
  createConfigMap(data: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves as soon as it holds; undefined: the pod is gone. */
  until(what: string, holds: (pod: Pod | undefined) => boolean): Promise<void>;
  rest(delayMs: number): Promise<void>;
}

/** One state that a pod's status had. */
export interface Entry {
  /** What was done last before it, with its number. */
  readonly act: string;
  readonly text: string;
  readonly sinceActMs: number;
}

/** The states of one pod in order, without repetitions. */
export class Trace {
  readonly entries: Entry[] = [];
  #act = "0 create";
  #acts = 0;
  #actMs: number;

  constructor(nowMs: number) {
    this.#actMs = nowMs;
  }

  act(name: string, nowMs: number): void {
    this.#acts++;
    this.#act = `${String(this.#acts)} ${name}`;
    this.#actMs = nowMs;
  }

  see(pod: Pod | undefined, nowMs: number): void {
    const text = describePod(pod);
    if (this.entries.at(-1)?.text !== text) this.entries.push({ act: this.#act, text, sinceActMs: nowMs - this.#actMs });
  }
}

/** The whole of a trace but its times. */
export function sequenceOf(entries: readonly Entry[]): string {
  return entries.map(({ act, text }) => `${act}: ${text}`).join("\n");
}

/** What the kubelet says of a pod: phase, Ready, and each container's state, exit code or reason and restart count. */
function describePod(pod: Pod | undefined): string {
  if (pod === undefined) return "gone";
  const { phase = "", conditions = [], containerStatuses = [] } = pod.status ?? {};
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  const containers = containerStatuses.map(({ name, ready, restartCount, state, lastState }) => {
    // The real one shows the past of a container that has ended only if it has not cleaned up yet.
    const past = lastState?.terminated === undefined || state?.terminated !== undefined ? "" : `, was ${describeState(lastState)}`;
    return `${name} ${describeState(state)}${ready ? " ready" : ""} #${String(restartCount)}${past}`;
  });
  const marks = [isReady ? "Ready" : "", pod.metadata.deletionTimestamp === undefined ? "" : "deleted"].filter(Boolean);
  return [[phase, ...marks].join(" "), ...containers].join("; ");
}

function describeState({ waiting, terminated }: ContainerState = {}): string {
  if (waiting !== undefined) return `waiting(${waiting.reason ?? ""})`;
  return terminated === undefined ? "running" : `ended(${String(terminated.exitCode)})`;
}
