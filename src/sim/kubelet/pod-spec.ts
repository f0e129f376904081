import type { StringMap } from "../../api/meta.js";
import type { Container, Pod } from "../../api/pod.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";

/** A container of a pod's spec, as far as the kubelet model reads it. */
export interface ContainerSpec extends Container {
  readonly imagePullPolicy?: string;
  readonly lifecycle?: { readonly preStop?: PreStop };
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

/** What runs before a container is asked to end. */
export interface PreStop {
  readonly exec?: { readonly command?: readonly string[] };
  readonly sleep?: { readonly seconds: number };
}

/** How a container is asked whether it is ready or has started; what is asked is up to its program. */
export interface Probe {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

/** What the runtime had of one pod at one look. */
export interface PodView {
  /** The newest sandbox that is ready. */
  readonly sandbox: SimSandbox | undefined;
  /** The newest sandbox, ready or not. */
  readonly lastSandbox: SimSandbox | undefined;
  /** Newest first, of all sandboxes of the pod. */
  readonly containers: readonly SimContainer[];
}

/** The containers of a pod's spec. */
export function specsOf(pod: Pod): readonly ContainerSpec[] {
  return pod.spec.containers;
}

/** The newest instance of a container. */
export function latestOf(view: PodView, name: string): SimContainer | undefined {
  return view.containers.find((container) => container.name === name);
}

/** The uid that every stored pod has. */
export function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

/** A pod in the words of the runtime's labels. */
export function simPodOf(pod: Pod): { namespace: string; name: string; uid: string; terminationGracePeriodSeconds: number } {
  const { namespace = "", name } = pod.metadata;
  return { namespace, name, uid: uidOf(pod), terminationGracePeriodSeconds: graceSecondsOf(pod) };
}

/** How long containers of the pod have between being asked to end and being killed. */
export function graceSecondsOf({ metadata, spec }: Pod): number {
  return metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

/** The same for a pod that ends as a whole: at least one second. */
export function endGraceSecondsOf(pod: Pod): number {
  return Math.max(1, graceSecondsOf(pod));
}

const DEFAULT_GRACE_SECONDS = 30;

/** One entry of a map from the wire. */
export function entryOf(map: StringMap | undefined, key: string): string {
  return map !== undefined && Object.hasOwn(map, key) ? (map[key] ?? "") : "";
}
