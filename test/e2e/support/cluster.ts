import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { CloneSet } from "../../../src/api/clone-set.js";
import type { KubeObject } from "../../../src/api/meta.js";
import type { Pod } from "../../../src/api/pod.js";
import { eventually } from "../../support/eventually.js";
import { openApi } from "./api.js";

export const api = openApi();
/** Anything that is sent as JSON. */
export type Json = Readonly<Record<string, unknown>>;

export interface List<T> {
  readonly items: readonly T[];
}

/** A core/v1 Event. */
export interface EventObject extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
}

export const PODMEND_NAMESPACE = "podmend-system";
const run = promisify(execFile);

/** A namespace for one test file, gone when it ends. */
export async function makeNamespace(purpose: string): Promise<string> {
  const name = `e2e-${purpose}-${randomBytes(3).toString("hex")}`;
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await eventually(() => api.get(`/api/v1/namespaces/${name}/serviceaccounts/default`), 20_000, 50);
  return name;
}

/** Deletes a namespace and waits until its pods are gone, so that the next file starts on quiet nodes. */
export async function dropNamespace(name: string): Promise<void> {
  await api.remove(`/api/v1/namespaces/${name}`);
  await eventually(
    async () => {
      const { items } = await api.get<List<Pod>>(`/api/v1/namespaces/${name}/pods`);
      if (items.length > 0) throw new Error(`${items.length} pods left in ${name}`);
    },
    60_000,
    200,
  );
}

export interface CloneSetShape {
  readonly name: string;
  readonly namespace: string;
  readonly replicas?: number;
  readonly updateStrategy?: Json;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podSpec: Json;
}

/** A CloneSet as a user would apply it. */
export function cloneSet({
  name,
  namespace,
  replicas = 1,
  updateStrategy = {},
  labels = {},
  annotations = {},
  podSpec,
}: CloneSetShape): Json {
  return {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      updateStrategy: { type: "InPlaceIfPossible", maxUnavailable: "100%", ...updateStrategy },
      template: {
        metadata: { labels: { app: name, ...labels }, annotations },
        spec: { terminationGracePeriodSeconds: 5, ...podSpec },
      },
    },
  };
}

/** An environment variable that follows a label or an annotation. */
export function envFrom(name: string, source: "labels" | "annotations", key: string): Json {
  return { name, valueFrom: { fieldRef: { fieldPath: `metadata.${source}['${key}']` } } };
}

export const cloneSetsPath = (namespace: string, name = ""): string =>
  `/apis/apps.kruise.io/v1alpha1/namespaces/${namespace}/clonesets${name === "" ? "" : `/${name}`}`;

export async function applyCloneSet(shape: CloneSetShape): Promise<void> {
  await api.create(cloneSetsPath(shape.namespace), cloneSet(shape));
}

export async function patchCloneSet(shape: Pick<CloneSetShape, "name" | "namespace">, spec: Json): Promise<CloneSet> {
  return api.mergePatch(cloneSetsPath(shape.namespace, shape.name), { spec });
}

/** Living pods of a CloneSet, by name. */
export async function podsOf({ name, namespace }: Pick<CloneSetShape, "name" | "namespace">): Promise<readonly Pod[]> {
  const { items } = await api.get<List<Pod>>(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`);
  return items.filter((pod) => pod.metadata.deletionTimestamp === undefined).sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

/** Waits until the set has its pods, all of them ready and at the newest revision, and gives them. */
export async function settled(shape: Pick<CloneSetShape, "name" | "namespace">, timeoutMs = 60_000): Promise<readonly Pod[]> {
  return eventually(
    async () => {
      const { spec, status, metadata } = await api.get<CloneSet>(cloneSetsPath(shape.namespace, shape.name));
      const wanted = { observed: metadata.generation, updated: spec.replicas, ready: spec.replicas, updatedReady: spec.replicas };
      const seen = {
        observed: status?.observedGeneration,
        updated: status?.updatedReplicas,
        ready: status?.readyReplicas,
        updatedReady: status?.updatedReadyReplicas,
      };
      if (JSON.stringify(seen) !== JSON.stringify(wanted))
        throw new Error(`${shape.name}: seen ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`);
      const pods = await podsOf(shape);
      if (pods.length !== spec.replicas || !pods.every(isReady))
        throw new Error(`${shape.name}: ${pods.filter(isReady).length} of ${pods.length} pods ready`);
      return pods;
    },
    timeoutMs,
    100,
  );
}

/** What identifies a container instance, by container name. */
export function instances(pod: Pod): Readonly<Record<string, { readonly id: string; readonly restartCount: number }>> {
  const statuses = pod.status?.containerStatuses ?? [];
  return Object.fromEntries(statuses.map(({ name, containerID = "", restartCount }) => [name, { id: containerID, restartCount }]));
}

export function theOnly<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined || items.length !== 1) throw new Error(`want exactly one, have ${items.length}`);
  return first;
}

/** Runs a command inside a node's namespaces. */
export async function inNode(node: string, command: readonly string[]): Promise<string> {
  const { stdout } = await run("nsenter", ["-t", nodePid(node), "-m", "-n", ...command], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** A process that lives in the node's namespaces. */
export function nodePid(node: string): string {
  const pids = new Map((process.env["NODE_PIDS"] ?? "").split(",").map((pair) => pair.split("=") as [string, string]));
  const pid = pids.get(node);
  if (pid === undefined) throw new Error(`NODE_PIDS names no "${node}"`);
  return pid;
}

export async function nodeNames(): Promise<readonly string[]> {
  const { items } = await api.get<List<KubeObject>>("/api/v1/nodes");
  return items.map(({ metadata }) => metadata.name).sort();
}

/** Reasons of the events about one object, oldest first. */
export async function eventReasons(namespace: string, involvedName: string): Promise<readonly string[]> {
  return (await eventsAbout(namespace, involvedName)).map(({ reason }) => reason);
}

export async function eventsAbout(namespace: string, involvedName: string): Promise<readonly EventObject[]> {
  const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name%3D${involvedName}`;
  return (await api.get<List<EventObject>>(path)).items;
}

/** Running pods of one of our two components. */
export async function podmendPods(component: "agent" | "controller"): Promise<readonly Pod[]> {
  const { items } = await api.get<List<Pod>>(
    `/api/v1/namespaces/${PODMEND_NAMESPACE}/pods?labelSelector=app.kubernetes.io%2Fcomponent%3D${component}`,
  );
  return items.filter((pod) => pod.metadata.deletionTimestamp === undefined);
}
