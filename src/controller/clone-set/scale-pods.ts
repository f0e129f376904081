import { CLONE_SET_INSTANCE_ID } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import type { ScaleDecision } from "../../core/clone-set/decide-scale.js";
import { newPod } from "../../core/clone-set/new-pod.js";
import type { ObservedPod } from "../../core/clone-set/observed-pod.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { DeleteOptions } from "../../kube/client.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { Random } from "../../lib/random.js";
import { POD_INDEX_OWNER } from "../dependencies.js";
import type { Revisions } from "./ensure-revisions.js";
import { forEachBounded } from "./for-each-bounded.js";
import type { Pass } from "./pass.js";
import { podName } from "./pod-writes.js";

/** Upstream's alphabet: no vowels, so no words. */
const ID_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const ID_LENGTH = 5;
const PARALLEL_DELETES = 8;

/** Carries out what scaling decided; each failure is left in the pass. @returns whether there was anything to do */
export async function scalePods(pass: Pass, revisions: Revisions, decision: ScaleDecision): Promise<boolean> {
  const wanted = newPods(pass, revisions, decision);
  await createPods(pass, wanted);
  await deletePods(pass, decision.remove);
  return wanted.length + decision.remove.length > 0;
}

function newPods(pass: Pass, revisions: Revisions, { createCurrent, createUpdated }: ScaleDecision): readonly Pod[] {
  const { update, currentName, templateOf } = revisions;
  const current = { revision: currentName, template: templateOf(currentName) ?? update.template };
  const updated = { revision: update.name, template: update.template };
  const chosen = [...Array.from({ length: createCurrent }, () => current), ...Array.from({ length: createUpdated }, () => updated)];
  const taken = takenIds(pass);
  const nowText = toRfc3339Seconds(pass.deps.clock.nowMs());
  return chosen.map((source) => newPod(pass.cloneSet, { ...source, instanceId: freeId(taken, pass.deps.random), nowText }));
}

/** Creates pods in batches of 1, 2, 4 ...: what fails for one will fail for all, and is then not tried a thousand times. */
async function createPods(pass: Pass, wanted: readonly Pod[]): Promise<void> {
  let hasFailed = false;
  for (let start = 0, size = 1; start < wanted.length && !hasFailed; start += size, size *= 2) {
    const batch = wanted.slice(start, start + size);
    const created = await Promise.all(batch.map((pod) => createPod(pass, pod)));
    hasFailed = created.includes(false);
  }
}

async function createPod(pass: Pass, pod: Pod): Promise<boolean> {
  try {
    const created = await pass.deps.client.create(PODS, pod, pass.signal);
    pass.deps.informers.pods.applyWrite(created);
    pass.record("Normal", "SuccessfulCreate", `succeed to create pod ${pod.metadata.name}`);
    pass.logger.info("Pod created", { pod: pod.metadata.name });
    return true;
  } catch (error) {
    // A random name in the message would make every try look like a new failure, written to the status again and again.
    const message = failureMessage(error).replaceAll(pod.metadata.name, `${pass.cloneSet.metadata.name}-*`);
    // Missing is the namespace: the user must know, although nothing of ours is gone.
    if (failureKind(error) === "missing") pass.fail("FailedScale", "FailedCreate", message);
    const isTold = pass.failWith(error, { type: "FailedScale", reason: "FailedCreate", message });
    if (isTold) pass.record("Warning", "FailedCreate", `failed to create pod: ${message}`);
    return false;
  }
}

async function deletePods(pass: Pass, chosen: readonly ObservedPod[]): Promise<void> {
  await forEachBounded(chosen, PARALLEL_DELETES, async ({ pod }) => {
    const { name } = pod.metadata;
    try {
      const request = { target: podName(pod), options: versionOf(pod) };
      const answer = await pass.deps.client.delete<Pod>(PODS, request, pass.signal);
      if (answer !== undefined) pass.deps.informers.pods.applyWrite(answer);
      pass.record("Normal", "SuccessfulDelete", `succeed to delete pod ${name}`);
      pass.logger.info("Pod deleted", { pod: name });
    } catch (error) {
      const isTold = pass.failWith(error, { type: "FailedScale", reason: "FailedDelete" });
      if (isTold) pass.record("Warning", "FailedDelete", `failed to delete pod ${name}: ${failureMessage(error)}`);
    }
  });
}

// Of the pod as it was looked at: one that has become ready meanwhile is not deleted as one that was not.
function versionOf({ metadata: { uid, resourceVersion } }: Pod): DeleteOptions {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

// Terminating and finished pods keep their names until they are gone.
function takenIds({ deps, cloneSet }: Pass): Set<string> {
  const owned = deps.informers.pods.store.byIndex(POD_INDEX_OWNER, cloneSet.metadata.uid ?? "");
  return new Set(owned.map(({ metadata }) => metadata.labels?.[CLONE_SET_INSTANCE_ID] ?? ""));
}

function freeId(taken: Set<string>, random: Random): string {
  for (;;) {
    const id = Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[Math.floor(random.next() * ID_ALPHABET.length)] ?? "").join("");
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}
