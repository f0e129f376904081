import type { EnvVar, Pod } from "../../api/pod.js";
import type { SimVariable } from "../runtime/entities.js";
import { type ContainerSpec, entryOf } from "./pod-spec.js";

/** What variables can refer to beside the pod. */
export interface EnvironmentSources {
  readonly podIP: string;
  /** The content of a ConfigMap of the pod's namespace; undefined: there is none. */
  configMap(name: string): Readonly<Record<string, string>> | undefined;
}

/** A variable that cannot be resolved: the container waits with this message. */
export class EnvironmentProblem extends Error {}

/** The variables of a container that is about to be created, from the version of the pod that is at hand. @throws {EnvironmentProblem} */
export function environmentOf(pod: Pod, container: ContainerSpec, sources: EnvironmentSources): readonly SimVariable[] {
  const values = new Map<string, string>();
  for (const entry of container.env ?? []) {
    const value = valueOf(entry, pod, sources);
    if (value !== undefined) values.set(entry.name, value);
  }
  return [...values].map(([key, value]) => ({ key, value }));
}

function valueOf({ value, valueFrom }: EnvVar, pod: Pod, sources: EnvironmentSources): string | undefined {
  const { fieldRef, configMapKeyRef } = valueFrom ?? {};
  if (fieldRef !== undefined) return fieldOf(fieldRef.fieldPath, pod, sources);
  if (configMapKeyRef === undefined) return value ?? "";
  const { name = "", key, optional } = configMapKeyRef;
  const found = configMapValue(sources.configMap(name), { name, key, namespace: pod.metadata.namespace ?? "" });
  if (typeof found === "string") return found;
  if (optional === true) return undefined;
  throw found;
}

function configMapValue(
  content: Readonly<Record<string, string>> | undefined,
  { name, key, namespace }: { readonly name: string; readonly key: string; readonly namespace: string },
): string | EnvironmentProblem {
  if (content === undefined) return new EnvironmentProblem(`configmap "${name}" not found`);
  const found = Object.hasOwn(content, key) ? content[key] : undefined;
  return found ?? new EnvironmentProblem(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
}

const METADATA_PATH = /^metadata\.(labels|annotations)\['(.*)'\]$/s;

function fieldOf(path: string, { metadata, spec }: Pod, { podIP }: EnvironmentSources): string {
  const [, map, key] = METADATA_PATH.exec(path) ?? [];
  if (key !== undefined) return entryOf(map === "labels" ? metadata.labels : metadata.annotations, key);
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "status.podIP": podIP,
  };
  if (!Object.hasOwn(fields, path)) throw new EnvironmentProblem(`unsupported fieldPath: ${path}`);
  return fields[path] ?? "";
}
