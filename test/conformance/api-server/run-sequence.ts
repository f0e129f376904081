import { eventually } from "../../support/eventually.js";
import { Normaliser } from "./normalise.js";
import { collectionPath, type KindName, Memory, objectPath, requestOf, selectorOf, type SequencePlace, type Step } from "./sequences.js";
import type { ApiServerSubject, Watching } from "./subjects.js";

/** What one server did in one sequence. */
export interface SequenceRecord {
  readonly replies: readonly unknown[];
  /** By watch. */
  readonly events: Readonly<Record<string, readonly unknown[]>>;
}

/** Takes all steps, one after the other, while four watches look on; and leaves nothing behind. */
export async function runSequence(subject: ApiServerSubject, steps: readonly Step[], place: SequencePlace): Promise<SequenceRecord> {
  const kinds = [...new Set(steps.map(({ kind }) => kind))];
  const watches = await openWatches(subject, kinds, place);
  const normaliser = new Normaliser();
  const memory = new Memory();
  const replies: unknown[] = [];
  for (const one of steps) {
    const asked = requestOf(one, place, memory);
    if (asked === undefined) continue;
    const reply = await subject.call(asked);
    memory.see(objectPath(place, one.kind, one.name), one.isDry ? { status: 999, body: undefined } : reply);
    replies.push({ asked: `${asked.method} ${asked.path} ${one.verb} ${String(one.pick)} ${one.version}`, reply: normaliser.reply(reply) });
  }
  await endWith(subject, kinds, place);
  const isLast = (watching: Watching): boolean => watching.events.some(({ object }) => nameOf(object) === `${place.id}-end`);
  await eventually(() => {
    for (const [name, watching] of watches) if (!isLast(watching)) throw new Error(`"${name}" has not seen the end`);
  }, 20_000);
  const events = watches.map(([name, watching]) => [name, watching.events.map((event) => normaliser.event(event))] as const);
  for (const [, watching] of watches) watching.stop();
  await cleanUp(subject, kinds, place);
  return { replies, events: Object.fromEntries(events) };
}

async function openWatches(
  subject: ApiServerSubject,
  kinds: readonly KindName[],
  place: SequencePlace,
): Promise<readonly (readonly [string, Watching])[]> {
  const all: (readonly [string, Watching])[] = [];
  for (const kind of kinds) {
    const path = collectionPath(kind);
    const { body } = await subject.call({ method: "GET", path: `${path}?${selectorOf(place, false)}` });
    const { resourceVersion } = (body as { readonly metadata: { readonly resourceVersion: string } }).metadata;
    for (const isIn of [false, true]) {
      const watching = await subject.watch(`${path}?watch=true&resourceVersion=${resourceVersion}&${selectorOf(place, isIn)}`);
      all.push([`${kind}${isIn ? " that are in" : ""}`, watching]);
    }
  }
  return all;
}

/** One last object, by which the watches tell that they have seen all. */
async function endWith(subject: ApiServerSubject, kinds: readonly KindName[], { id }: SequencePlace): Promise<void> {
  for (const kind of kinds) {
    const metadata = { name: `${id}-end`, labels: { sequence: id, in: "yes" } };
    const body = { ...END_BODIES[kind], metadata };
    const { status } = await subject.call({ method: "POST", path: collectionPath(kind), body });
    if (status !== 201) throw new Error(`Cannot end the sequence: ${String(status)}`);
  }
}

const TEMPLATE = { metadata: { labels: { a: "b" } }, spec: { containers: [] } };
const END_BODIES: Readonly<Record<KindName, object>> = {
  pods: { spec: { containers: [{ name: "a", image: "a:1" }] } },
  cloneSets: {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    spec: { selector: { matchLabels: { a: "b" } }, template: TEMPLATE },
  },
  nodeImages: { apiVersion: "apps.kruise.io/v1beta1", kind: "NodeImage", spec: {} },
  nodePodRestarts: { apiVersion: "node.podmend.io/v1alpha1", kind: "NodePodRestart", spec: {} },
  configMaps: {},
};

async function cleanUp(subject: ApiServerSubject, kinds: readonly KindName[], place: SequencePlace): Promise<void> {
  for (const kind of kinds) {
    for (const name of ["x", "y", "end"]) {
      const path = objectPath(place, kind, name);
      await subject.call({ method: "PATCH", path, body: { metadata: { finalizers: null } }, contentType: "application/merge-patch+json" });
      await subject.call({ method: "DELETE", path, body: { gracePeriodSeconds: 0 } });
    }
  }
}

function nameOf(object: Readonly<Record<string, unknown>>): unknown {
  return (object["metadata"] as { readonly name?: string } | undefined)?.name;
}
