import { nodeOf, type StepEntry } from "../invariants/history.js";
import type { RareState, View } from "./view.js";

function sameNode(a: StepEntry, b: StepEntry): boolean {
  return a.subject === b.subject && nodeOf(a.actor) === nodeOf(b.actor);
}

/** A pull without an answer, whose life ended soon. */
function orphans(view: View): readonly StepEntry[] {
  return view.steps("pull-image", "before").filter((pull) => view.isUnanswered(pull) && Number.isFinite(view.endedAtMs(pull.actor)));
}

/** On the way of a pull job. */
export const PULL_STATES: readonly RareState[] = [
  {
    name: "a pull fails and succeeds later",
    isIn: (view) => {
      const ends = view.steps("pull-image", "received");
      return ends.some(
        (end) => end.outcome !== "OK" && ends.some((later) => later.outcome === "OK" && later.atMs > end.atMs && sameNode(end, later)),
      );
    },
  },
  {
    name: "a new life of the agent pulls what another one had begun to",
    isIn: (view) =>
      orphans(view).some((pull) =>
        view.steps("pull-image", "before").some((other) => other.actor !== pull.actor && other.atMs > pull.atMs && sameNode(pull, other)),
      ),
  },
  {
    name: "a new life of the agent looks for what another one had begun to pull",
    isIn: (view) =>
      orphans(view).some((pull) =>
        view
          .steps("look-for-image", "before")
          .some((other) => other.actor !== pull.actor && other.atMs > pull.atMs && sameNode(pull, other)),
      ),
  },
  {
    name: "a node goes while a job works",
    isIn: (view) => {
      const jobs = view.objects("imagepulljobs");
      return view
        .objects("nodes")
        .some(({ change, atMs }) => change === "DELETED" && jobs.some((job) => job.atMs < atMs) && jobs.some((job) => job.atMs > atMs));
    },
  },
  {
    name: "two jobs work at a time",
    isIn: (view) => {
      const jobs = view.objects("imagepulljobs");
      const spans = [...new Set(jobs.map(({ object }) => object.metadata.name))].map((name) => {
        const times = jobs.filter(({ object }) => object.metadata.name === name).map(({ atMs }) => atMs);
        return { from: Math.min(...times), to: Math.max(...times) };
      });
      return spans.some((a) => spans.some((b) => a !== b && a.from < b.from && b.from < a.to));
    },
  },
  {
    name: "two writes of a pull's report meet",
    isIn: (view) => view.steps("report-pull", "received").some(({ outcome }) => outcome === "409"),
  },
];
