import { IN_PLACE_UPDATE_GRACE, IN_PLACE_UPDATE_READY } from "../../../src/api/names.js";
import type { ObjectEntry, StepEntry, Version } from "../invariants/history.js";
import { podOfSubject } from "../invariants/history.js";
import { asPod, conditionStatus, isActive, wantedConfig } from "../invariants/pod-views.js";
import type { Entry } from "../journal.js";
import { REPORT_STEPS } from "../wires/steps.js";
import { asNodeObject, type RareState, type View } from "./view.js";

const POD_WRITES = ["close-gate", "change-pod", "open-gate", "change-pod-status"];

function answers(view: View, steps: readonly string[], outcome: string): boolean {
  return steps.some((step) => view.steps(step, "received").some((answer) => answer.outcome === outcome));
}

/** A write was done, and the life that sent it lives on without ever being told. */
function isAnswerLost(view: View, step: string): boolean {
  return view.steps(step, "applied").some((applied) => view.isUnanswered(applied) && view.endedAtMs(applied.actor) - applied.atMs > 1_000);
}

/** The states of all pods at a moment. */
function podsAt(view: View, atMs: number): readonly Version[] {
  return [...view.pods.keys()].flatMap((uid) => view.pods.versions(uid).findLast((version) => version.atMs <= atMs) ?? []);
}

function isUpdatedAt(view: View, atMs: number): boolean {
  return podsAt(view, atMs).some(({ object }) => object !== undefined && conditionStatus(object, IN_PLACE_UPDATE_READY) === "False");
}

function userDid(view: View, action: string, matches: (entry: Entry) => boolean): boolean {
  return view.entries.some((entry) => entry.type === "user" && entry.action.startsWith(action) && matches(entry));
}

function countActive(view: View, atMs: number): number {
  return podsAt(view, atMs).filter(({ object }) => object !== undefined && isActive(object)).length;
}

function replicasAt(view: View, atMs: number): number {
  const set = view.objects("clonesets").findLast((entry) => entry.atMs <= atMs)?.object;
  return (set?.["spec"] as { readonly replicas?: number } | undefined)?.replicas ?? Number.POSITIVE_INFINITY;
}

/** The server says so inside an answer that is fine. What follows is a second list of the same kind by one life. */
function listsAgain(view: View): boolean {
  const seen = new Set<string>();
  return view.steps("list", "received").some(({ actor, subject, outcome }) => {
    if (outcome !== "200" || subject.includes("continue=")) return false;
    const key = `${actor} ${subject}`;
    return seen.size === seen.add(key).size;
  });
}

interface LeaseSpec {
  readonly holderIdentity?: string | null;
}

function leasePairs(view: View): readonly (readonly [ObjectEntry, ObjectEntry])[] {
  const leases = view.objects("leases");
  return leases.flatMap((after, index) => {
    const before = leases[index - 1];
    return before === undefined ? [] : [[before, after] as const];
  });
}

function holderOf({ object }: ObjectEntry): string {
  return (object["spec"] as LeaseSpec | undefined)?.holderIdentity ?? "";
}

/** From one life that held the Lease to another. */
function handovers(view: View): readonly { readonly atMs: number; readonly from: string; readonly to: string }[] {
  const moves: { readonly atMs: number; readonly from: string; readonly to: string }[] = [];
  let holder = "";
  for (const lease of view.objects("leases")) {
    const next = holderOf(lease);
    if (next === "" || next === holder) continue;
    if (holder !== "") moves.push({ atMs: lease.atMs, from: holder, to: next });
    holder = next;
  }
  return moves;
}

function podWrites(view: View): readonly StepEntry[] {
  return POD_WRITES.flatMap((step) => view.steps(step, "applied")).sort((a, b) => a.atMs - b.atMs);
}

/** On the way of a rollout, between its leaders, and against what users do meanwhile. */
export const ROLLOUT_STATES: readonly RareState[] = [
  { name: "a pod's patch meets a newer pod", isIn: (view) => answers(view, POD_WRITES, "409") },
  { name: "a revision is there already", isIn: (view) => answers(view, ["create-revision"], "409") },
  { name: "quota refuses a pod", isIn: (view) => answers(view, ["create-pod"], "403") },
  { name: "a webhook refuses a change of a pod", isIn: (view) => answers(view, ["change-pod"], "403") },
  {
    name: "a write is told to come again later",
    isIn: (view) => answers(view, [...POD_WRITES, ...REPORT_STEPS, "request-restart", "create-pod"], "429"),
  },
  { name: "a watch is refused as too old", isIn: listsAgain },
  {
    name: "a token is refused in mid-rollout",
    isIn: (view) => answers(view, [...POD_WRITES, ...REPORT_STEPS, "request-restart", "write-set-status"], "401"),
  },
  { name: "a gate is closed, and the answer lost", isIn: (view) => isAnswerLost(view, "close-gate") },
  { name: "a pod is changed, and the answer lost", isIn: (view) => isAnswerLost(view, "change-pod") },
  { name: "a gate is opened, and the answer lost", isIn: (view) => isAnswerLost(view, "open-gate") },
  { name: "a pod is created, and the answer lost", isIn: (view) => isAnswerLost(view, "create-pod") },
  { name: "a request is written, and the answer lost", isIn: (view) => isAnswerLost(view, "request-restart") },
  {
    name: "a leader ends between closing a gate and changing the pod",
    isIn: (view) =>
      view.steps("close-gate", "applied").some(({ actor, subject, atMs }) => {
        const pod = podOfSubject(subject);
        const changes = view.steps("change-pod", "applied").filter((change) => podOfSubject(change.subject) === pod && change.atMs > atMs);
        return view.endedAtMs(actor) - atMs < 3_000 && !changes.some((change) => change.actor === actor);
      }),
  },
  {
    name: "two controllers' lives write pods within a second",
    isIn: (view) =>
      podWrites(view).some(
        (write, index, all) => index > 0 && all[index - 1]?.actor !== write.actor && write.atMs - (all[index - 1]?.atMs ?? 0) < 1_000,
      ),
  },
  {
    name: "the Lease is taken from a life that goes on",
    isIn: (view) => handovers(view).some(({ from, atMs }) => view.bornAtMs(from) < atMs && view.endedAtMs(from) > atMs),
  },
  {
    name: "the leader changes in mid-update of a pod",
    isIn: (view) => handovers(view).some(({ atMs }) => isUpdatedAt(view, atMs)),
  },
  {
    name: "the leader changes while a pod is in its grace",
    isIn: (view) =>
      handovers(view).some(({ atMs }) =>
        podsAt(view, atMs).some(
          ({ object }) => object !== undefined && asPod(object).metadata.annotations?.[IN_PLACE_UPDATE_GRACE] !== undefined,
        ),
      ),
  },
  {
    name: "nobody leads for ten seconds in mid-update",
    isIn: (view) => leasePairs(view).some(([before, after]) => after.atMs - before.atMs > 10_000 && isUpdatedAt(view, before.atMs)),
  },
  {
    name: "a user changes the template while a gate is closed",
    isIn: (view) => userDid(view, "changes template", ({ atMs }) => isUpdatedAt(view, atMs)),
  },
  {
    name: "a user deletes a pod in mid-update",
    isIn: (view) =>
      userDid(view, "deletes pod", (entry) =>
        podsAt(view, entry.atMs - 0.001).some(
          ({ object }) =>
            object !== undefined &&
            entry.type === "user" &&
            object.metadata.name === entry.subject &&
            conditionStatus(object, IN_PLACE_UPDATE_READY) === "False",
        ),
      ),
  },
  {
    name: "a user deletes the set in mid-update",
    isIn: (view) => userDid(view, "deletes set", ({ atMs }) => isUpdatedAt(view, atMs)),
  },
  {
    name: "a user scales in mid-update",
    isIn: (view) => userDid(view, 'changes set {"spec":{"replicas"', ({ atMs }) => isUpdatedAt(view, atMs)),
  },
  {
    name: "a pod gets another change while one is under way",
    isIn: (view) =>
      [...view.pods.keys()].some((uid) =>
        view.pods.versions(uid).some(({ object }, index, all) => {
          const before = all[index - 1]?.object;
          if (object === undefined || before === undefined || wantedConfig(object) === wantedConfig(before)) return false;
          const closed = all
            .slice(0, index)
            .findLastIndex((version) => version.object !== undefined && conditionStatus(version.object, IN_PLACE_UPDATE_READY) !== "False");
          // Closed before, and changed since: this is the second change.
          return all
            .slice(closed + 1, index)
            .some(
              (version) =>
                version.object !== undefined && wantedConfig(version.object) !== wantedConfig(all[closed + 1]?.object ?? version.object),
            );
        }),
      ),
  },
  {
    name: "a node's object goes while it asks for something",
    isIn: (view) =>
      view
        .objects("nodepodrestarts")
        .some(({ change, object }) => change === "DELETED" && (asNodeObject(object).spec.podRestarts ?? []).length > 0),
  },
  {
    name: "a set gets more pods than it wants",
    isIn: (view) => view.steps("create-pod", "applied").some(({ atMs }) => countActive(view, atMs) > replicasAt(view, atMs)),
  },
  {
    name: "an event is counted up",
    isIn: (view) => view.steps("record-event", "applied").some(({ subject }) => subject.startsWith("PATCH")),
  },
];
