import { configOf, podUidOf } from "../invariants/containers.js";
import { processOf, type StepEntry } from "../invariants/history.js";
import { wantedConfig } from "../invariants/pod-views.js";
import { REPORT_STEPS } from "../wires/steps.js";
import type { RareState, View } from "./view.js";

function pairs(steps: readonly StepEntry[], matches: (first: StepEntry, second: StepEntry) => boolean): boolean {
  return steps.some((second, index) => steps.slice(0, index).some((first) => first.subject === second.subject && matches(first, second)));
}

function stopEnds(view: View, matches: (answer: StepEntry, endedAtMs: number) => boolean): boolean {
  return view
    .steps("stop-container", "received")
    .some((answer) => matches(answer, view.instances.get(answer.subject)?.endedAtMs ?? Number.POSITIVE_INFINITY));
}

function hasResult(view: View, phase: string, reason: string): boolean {
  return view.results().some(({ value }) => value.phase === phase && value.reason === reason);
}

function wasStopped(view: View, containerID: string | undefined): boolean {
  return view.steps("stop-container", "before").some(({ subject }) => containerID?.endsWith(subject) === true);
}

/** On the way from a request to the end of one container. */
export const STOP_STATES: readonly RareState[] = [
  {
    name: "a container ends after the agent's life that asked for it",
    isIn: (view) =>
      view.steps("stop-container", "before").some(({ actor, subject, atMs }) => {
        const lifeEndMs = view.endedAtMs(actor);
        const endedAtMs = view.instances.get(subject)?.endedAtMs ?? 0;
        return lifeEndMs >= atMs && endedAtMs > lifeEndMs;
      }),
  },
  {
    name: "the agent's life ends with a stop unanswered",
    isIn: (view) =>
      view.steps("stop-container", "before").some((stop) => view.isUnanswered(stop) && view.endedAtMs(stop.actor) - stop.atMs < 5_000),
  },
  {
    name: "the agent is started again between Stopping and Stopped",
    isIn: (view) =>
      view.results().some(({ atMs, node, value }) => {
        if (value.phase !== "Stopped") return false;
        const stopping = view.results().find((before) => before.value.id === value.id && before.value.phase === "Stopping");
        const isBornBetween = (actor: string): boolean => view.bornAtMs(actor) > (stopping?.atMs ?? atMs) && view.bornAtMs(actor) < atMs;
        return stopping !== undefined && [...view.lives].some((actor) => processOf(actor) === `agent-${node}` && isBornBetween(actor));
      }),
  },
  {
    name: "preStop is interrupted by the end of the agent's life",
    isIn: (view) =>
      view
        .steps("run-pre-stop", "before")
        .some(
          (step) =>
            view.isUnanswered(step) && Number.isFinite(view.endedAtMs(step.actor)) && view.endedAtMs(step.actor) - step.atMs < 5_000,
        ),
  },
  {
    name: "one life runs preStop, another one stops",
    isIn: (view) =>
      view
        .steps("run-pre-stop", "before")
        .some(({ actor, subject }) =>
          view.steps("stop-container", "before").some((stop) => stop.subject === subject && stop.actor !== actor),
        ),
  },
  {
    name: "two lives ask for the same stop",
    isIn: (view) => pairs(view.steps("stop-container", "before"), (first, second) => first.actor !== second.actor),
  },
  {
    name: "one life asks for the same stop again",
    isIn: (view) => pairs(view.steps("stop-container", "before"), (first, second) => first.actor === second.actor),
  },
  {
    name: "a stop is answered OK while the container runs on",
    isIn: (view) => stopEnds(view, ({ outcome, atMs }, endedAtMs) => outcome === "OK" && endedAtMs > atMs),
  },
  {
    name: "a stop fails although the container ended",
    isIn: (view) => stopEnds(view, ({ outcome, atMs }, endedAtMs) => outcome !== "OK" && endedAtMs <= atMs),
  },
  {
    name: "a stop is asked for what has ended already",
    isIn: (view) =>
      view
        .steps("stop-container", "before")
        .some(({ subject, atMs }) => (view.instances.get(subject)?.endedAtMs ?? Number.POSITIVE_INFINITY) < atMs),
  },
  {
    name: "a stop gets no answer, and the agent goes on",
    isIn: (view) =>
      view.steps("stop-container", "before").some((stop) => view.isUnanswered(stop) && view.endedAtMs(stop.actor) - stop.atMs > 10_000),
  },
  {
    name: "a named container ends before anybody stops it",
    isIn: (view) =>
      view.stopRequests().some(({ atMs, value: { containerID } }) => {
        const instance = view.instances.get(containerID?.split("://")[1] ?? "");
        return instance?.endedAtMs !== undefined && instance.endedAtMs > atMs && !wasStopped(view, containerID);
      }),
  },
  {
    name: "a request is withdrawn before its stop",
    isIn: (view) =>
      view.stopRequests().some(({ value: { id, containerID } }) => {
        const isTold = view.results().some(({ value }) => value.id === id && value.phase !== "Waiting");
        return !isTold && !wasStopped(view, containerID);
      }),
  },
  { name: "a request finds its env applied already", isIn: (view) => hasResult(view, "Skipped", "EnvAlreadyApplied") },
  { name: "a failed stop is reported", isIn: (view) => view.results().some(({ value }) => value.reason === "StopFailed") },
  {
    name: "the kubelet starts the old env once more",
    isIn: (view) =>
      view.entries.some((entry) => {
        if (entry.type !== "container" || entry.change !== "created" || entry.container.attempt === 0 || entry.container.name !== "app")
          return false;
        const pod = view.pods.versions(podUidOf(entry.container)).findLast(({ atMs }) => atMs <= entry.atMs)?.object;
        return pod !== undefined && wantedConfig(pod) !== configOf(entry.container);
      }),
  },
  {
    name: "two instances of one update are stopped one after the other",
    isIn: (view) => view.stopRequests().some(({ value: { id, containerID } }) => attemptOf(id) > 1 && wasStopped(view, containerID)),
  },
  {
    name: "a container vanishes while its env is read",
    isIn: (view) => view.steps("read-env", "received").some(({ outcome }) => outcome === "5"),
  },
  {
    name: "two writes of a report meet",
    isIn: (view) => REPORT_STEPS.some((step) => view.steps(step, "received").some(({ outcome }) => outcome === "409")),
  },
];

/** Source: updateRequestId of core/container-restart */
function attemptOf(id: string): number {
  return Number(id.split("/").at(-2));
}
