import type { ObjectMeta } from "../../api/meta.js";
import { SIDECAR_SET_VERSION_ENVS } from "../../api/names.js";
import type { Container, EnvVar } from "../../api/pod.js";
import { envHash } from "./hash.js";
import { own } from "./json-object.js";

/** One environment variable whose value is a label or an annotation of the pod. */
export interface MetadataEnv {
  readonly name: string;
  readonly source: "labels" | "annotations";
  readonly key: string;
}

// The key ends at the last quote, so a key may hold one; dots in it are part of the key.
const FIELD_PATH = /^metadata\.(labels|annotations)\['(.*)'\]$/s;

/**
 * The container's variables that come from the pod's labels or annotations, in the order of the spec.
 *
 * A variable that a later entry of the same name overrides is left out: the process never sees it, so no restart could
 * make its hash match. OpenKruise counts it and waits for ever.
 * Source: spec/node-agent.md 2.3 step 1; the overriding rule is ours.
 */
export function metadataEnvs(container: Pick<Container, "env">): readonly MetadataEnv[] {
  const entries = container.env ?? [];
  const lastIndex = new Map(entries.map((entry, index) => [entry.name, index]));
  return entries.flatMap((entry, index) => {
    const found = lastIndex.get(entry.name) === index ? metadataEnv(entry) : undefined;
    return found === undefined ? [] : [found];
  });
}

/** The env hash that the container will have once it runs with this metadata; a missing key counts as an empty value. */
export function expectedEnvHash(container: Pick<Container, "env">, metadata: Pick<ObjectMeta, "labels" | "annotations">): number {
  return envHash(metadataEnvs(container).map(({ name, source, key }) => ({ name, value: own(metadata[source], key) ?? "" })));
}

/** The env hash of a running container; `envNames` are the names of its `metadataEnvs`, a name without a value counts as empty. */
export function liveEnvHash(envNames: readonly string[], env: ReadonlyMap<string, string>): number {
  return envHash(envNames.map((name) => ({ name, value: env.get(name) ?? "" })));
}

function metadataEnv(entry: EnvVar): MetadataEnv | undefined {
  if ((entry.value ?? "") !== "" || SIDECAR_SET_VERSION_ENVS.includes(entry.name)) return undefined;
  const match = FIELD_PATH.exec(entry.valueFrom?.fieldRef?.fieldPath ?? "");
  if (match === null) return undefined;
  return { name: entry.name, source: match[1] as MetadataEnv["source"], key: match[2] ?? "" };
}
