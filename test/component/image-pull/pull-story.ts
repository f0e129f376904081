import { readFileSync } from "node:fs";
import type { ImagePullJob, ImagePullJobStatus } from "../../../src/api/image-pull-job.js";
import type { KubeObject } from "../../../src/api/meta.js";
import type { ImageTagSpec, ImageTagStatus, NodeImage } from "../../../src/api/node-image.js";
import { withoutRepetitions } from "../../support/story.js";

/** What other programs could see of pull jobs, without times, IDs and chance. */
export interface PullStory {
  /** By the job's name. */
  readonly jobs: Readonly<Record<string, ToldJob>>;
  /** What nodes were asked, in this order. */
  readonly requests: readonly { readonly node: string; readonly image: string; readonly tag: unknown }[];
  /** How nodes' pulls ended, in this order. */
  readonly ends: readonly { readonly node: string; readonly image: string; readonly status: unknown }[];
  /** Events on jobs. */
  readonly events: readonly { readonly on: string; readonly type: string; readonly reason: string; readonly message: string }[];
}

export interface ToldJob {
  readonly finalizers: readonly (readonly string[])[];
  readonly statuses: readonly ImagePullJobStatus[];
  readonly wasRemoved: boolean;
}

interface ToldEvent {
  readonly on: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Collects a story from the states of objects as they come; undefined: the object is gone. */
export class PullStoryTeller {
  readonly #jobs = new Map<string, (ImagePullJob | undefined)[]>();
  readonly #requests = new Map<string, PullStory["requests"][number]>();
  readonly #ends = new Map<string, PullStory["ends"][number]>();
  readonly #events: ToldEvent[] = [];

  see(kind: string, name: string, object: KubeObject | undefined): void {
    if (kind === "ImagePullJob") this.#jobs.set(name, [...(this.#jobs.get(name) ?? []), object as ImagePullJob | undefined]);
    if (kind === "NodeImage" && object !== undefined) this.#seeNodeImage(name, object);
  }

  seeEvent(event: ToldEvent): void {
    this.#events.push(event);
  }

  tell(): PullStory {
    return {
      jobs: Object.fromEntries([...this.#jobs].map(([name, states]) => [name, tellJob(states)])),
      requests: [...this.#requests.values()],
      ends: [...this.#ends.values()],
      events: this.#events,
    };
  }

  #seeNodeImage(node: string, { spec, status }: NodeImage): void {
    for (const [image, { tags }] of Object.entries(spec?.images ?? {})) {
      for (const tag of tags) remember(this.#requests, `${node} ${image} ${tag.tag}`, { node, image, tag: plainTag(tag) });
    }
    for (const [image, { tags }] of Object.entries(status?.imageStatuses ?? {})) {
      for (const tag of tags) {
        if (tag.completionTime !== undefined) remember(this.#ends, `${node} ${image} ${tag.tag}`, { node, image, status: plainEnd(tag) });
      }
    }
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (!known.has(key)) known.set(key, value);
}

function plainTag({ createdAt, pullPolicy, ownerReferences, ...rest }: ImageTagSpec): unknown {
  const { ttlSecondsAfterFinished: ttl = -1, ...policy } = pullPolicy ?? {};
  const owners = ownerReferences?.map((owner) => ({ ...owner, uid: typeof owner.uid, namespace: typeof owner.namespace }));
  const hasTtlAbout = ttl >= 305 && ttl < 605 ? "300 s to 600 s after the job's own" : ttl;
  return { ...rest, createdAt: typeof createdAt, ownerReferences: owners, pullPolicy: { ...policy, ttlSecondsAfterFinished: hasTtlAbout } };
}

function plainEnd({ startTime, completionTime, imageID, message, ...rest }: ImageTagStatus): unknown {
  const id = imageID?.replace(/sha256:[0-9a-f]{64}$/, "<digest>");
  return {
    ...rest,
    startTime: typeof startTime,
    completionTime: typeof completionTime,
    ...(id && { imageID: id }),
    message: typeof message,
  };
}

function tellJob(states: readonly (ImagePullJob | undefined)[]): ToldJob {
  const existing = states.filter((state) => state !== undefined);
  const statuses = existing.flatMap(({ status }) => status ?? []);
  return {
    finalizers: withoutRepetitions(existing.map(({ metadata }) => metadata.finalizers ?? [])),
    statuses: withoutRepetitions(statuses.map(plainStatus)),
    wasRemoved: states.includes(undefined),
  };
}

function plainStatus(status: ImagePullJobStatus): ImagePullJobStatus {
  const { startTime, completionTime, ...rest } = status;
  return { ...rest, startTime: typeof startTime, ...(completionTime !== undefined && { completionTime: "string" }) };
}

interface RecordedLine {
  readonly kind?: string;
  readonly name?: string;
  readonly type?: string;
  readonly object?: KubeObject;
  readonly changed?: Readonly<Record<string, unknown>>;
  readonly event?: ToldEvent;
}

/** The recording of a running OpenKruise. */
export function readPullRecording(): PullStory {
  const text = readFileSync(new URL("../../golden/recordings/pull-job.jsonl", import.meta.url), "utf8");
  const teller = new PullStoryTeller();
  const objects = new Map<string, KubeObject>();
  for (const line of text.trim().split("\n")) {
    const { kind, name = "", type, object, changed = {}, event } = JSON.parse(line) as RecordedLine;
    if (event !== undefined) teller.seeEvent({ on: event.on, type: event.type, reason: event.reason, message: event.message });
    if (kind === undefined || kind === "Event") continue;
    const before = objects.get(`${kind}/${name}`) ?? { metadata: { name } };
    const now = Object.entries(changed).reduce((state, [pointer, value]) => set(state, pointer, value), object ?? before);
    objects.set(`${kind}/${name}`, now);
    teller.see(kind, name, type === "DELETED" ? undefined : now);
  }
  return teller.tell();
}

function set<T>(target: T, pointer: string, value: unknown): T {
  const [first = "", ...rest] = pointer.split("/").slice(1);
  const key = first.replaceAll("~1", "/").replaceAll("~0", "~");
  const inner = rest.length === 0 ? value : set(child(target, key), `/${rest.join("/")}`, value);
  if (Array.isArray(target)) return target.with(Number(key), inner) as T;
  const others = Object.entries((target ?? {}) as Record<string, unknown>).filter(([name]) => name !== key);
  return Object.fromEntries(inner === null ? others : [...others, [key, inner]]) as T;
}

function child(target: unknown, key: string): unknown {
  return (target as Readonly<Record<string, unknown>> | undefined)?.[key];
}
