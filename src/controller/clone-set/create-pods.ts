import { CLONE_SET_INSTANCE_ID } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import type { ScaleDecision } from "../../core/clone-set/decide-scale.js";
import { newPod } from "../../core/clone-set/new-pod.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { Random } from "../../lib/random.js";
import { POD_INDEX_OWNER } from "../dependencies.js";
import type { Revisions } from "./ensure-revisions.js";
import type { Hold, Holds } from "./holds.js";
import type { Pass } from "./pass.js";

/** Upstream's alphabet: no vowels, so no words. */
const ID_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const ID_LENGTH = 5;

/** What a pass creates pods from. */
export interface CreateContext {
  readonly revisions: Revisions;
  readonly decision: ScaleDecision;
  /** Of new pods, by the CloneSet's uid and generation. */
  readonly holds: Holds;
}

/** Creates the pods that scaling decided on, unless they were refused a moment ago. @returns whether there is a new pod */
export async function createPods(pass: Pass, { revisions, decision, holds }: CreateContext): Promise<boolean> {
  const wanted = newPods(pass, revisions, decision);
  if (wanted.length === 0) return false;
  const { uid = "", generation } = pass.cloneSet.metadata;
  const wish = `generation ${generation}`;
  const held = holds.current(uid, wish);
  if (held !== undefined) {
    tellHold(pass, held);
    return false;
  }
  const { hasCreated, refusal } = await createInBatches(pass, wanted);
  if (refusal === undefined) holds.remove(uid);
  else tellHold(pass, holds.add(uid, wish, refusal));
  return hasCreated;
}

function tellHold(pass: Pass, { message, untilMs }: Hold): void {
  pass.fail("FailedScale", "FailedCreate", message);
  pass.comeBackAfter(Math.max(untilMs - pass.deps.clock.monotonicMs(), 1));
}

/** How creating ended; `refusal` is what the user is told where trying again at once would be useless. */
interface Creation {
  readonly hasCreated: boolean;
  readonly hasFailed: boolean;
  readonly refusal: string | undefined;
}

const NOTHING_CREATED: Creation = { hasCreated: false, hasFailed: false, refusal: undefined };

/** Creates pods in batches of 1, 2, 4 ...: what fails for one will fail for all, and is then not tried a thousand times. */
async function createInBatches(pass: Pass, wanted: readonly Pod[]): Promise<Creation> {
  let sum = NOTHING_CREATED;
  for (let start = 0, size = 1; start < wanted.length && !sum.hasFailed && !pass.isOutdated; start += size, size *= 2) {
    const ends = await Promise.all(wanted.slice(start, start + size).map((pod) => createPod(pass, pod)));
    sum = {
      hasCreated: sum.hasCreated || ends.some(({ hasCreated }) => hasCreated),
      hasFailed: ends.some(({ hasFailed }) => hasFailed),
      refusal: ends.find(({ refusal }) => refusal !== undefined)?.refusal,
    };
  }
  return sum;
}

async function createPod(pass: Pass, pod: Pod): Promise<Creation> {
  try {
    const created = await pass.deps.client.create(PODS, pod, pass.signal);
    pass.deps.informers.pods.applyWrite(created);
    pass.record("Normal", "SuccessfulCreate", `succeed to create pod ${pod.metadata.name}`);
    pass.logger.info("Pod created", { pod: pod.metadata.name });
    return { hasCreated: true, hasFailed: false, refusal: undefined };
  } catch (error) {
    // A random name in the message would make every try look like a new failure, written to the status again and again.
    const message = failureMessage(error).replaceAll(pod.metadata.name, `${pass.cloneSet.metadata.name}-*`);
    const isTold = pass.failWith(error, { type: "FailedScale", reason: "FailedCreate", message });
    if (isTold) pass.record("Warning", "FailedCreate", `failed to create pod: ${message}`);
    const kind = failureKind(error);
    const isRefusal = kind !== "transient" && kind !== "conflict" && kind !== undefined;
    return { hasCreated: false, hasFailed: true, refusal: isRefusal ? message : undefined };
  }
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
