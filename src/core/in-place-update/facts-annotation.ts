import type { ContainerFacts } from "../../api/node-pod-restart.js";
import { RUNTIME_CONTAINERS_META } from "../../api/names.js";
import type { Container, Pod } from "../../api/pod.js";
import { metadataEnvs } from "../values/env-from-metadata.js";
import { goJson } from "../values/go-json.js";
import { NO_ENV_HASH } from "../values/hash.js";
import { type JsonObject, own } from "../values/json-object.js";
import { decodeJson, readList, readObject, readText } from "./decode.js";
import { statusOf } from "./pod-facts.js";
import { structJson } from "./struct-json.js";

/** What the annotation says about one container instance. */
export interface AnnotatedFacts {
  readonly name: string;
  readonly containerID: string;
  readonly restartCount: number;
  readonly plainHash?: number;
  readonly envHash?: number;
}

/**
 * What the annotation `apps.kruise.io/runtime-containers-meta` says about the instance that pod status names; what it says about any
 * other instance, and text that breaks its format, counts as nothing.
 * Source: spec/in-place-update.md 1.4.
 */
export function annotatedFacts(pod: Pod, container: string): AnnotatedFacts | undefined {
  const decoded = decodeJson(own(pod.metadata.annotations, RUNTIME_CONTAINERS_META), readAnnotation);
  const entry = decoded.type === "value" ? decoded.value.find(({ name }) => name === container) : undefined;
  return entry !== undefined && entry.containerID === statusOf(pod, container)?.containerID ? entry : undefined;
}

/**
 * The annotation's text after an env update: containers in the order of the spec, byte for byte as OpenKruise's agent writes it.
 *
 * A container about which nothing is known is left out.
 * @returns undefined when nothing is known about any
 */
export function writeFactsAnnotation(pod: Pod, facts: readonly ContainerFacts[] | undefined): string | undefined {
  const entries = pod.spec.containers.flatMap((container) => {
    const reported = facts?.find(({ name }) => name === container.name);
    const annotated = annotatedFacts(pod, container.name);
    const known = reported === undefined ? annotated : completedFacts(reported, annotated);
    return known === undefined ? [] : [writeEntry(container, known)];
  });
  return entries.length === 0 ? undefined : structJson([["containers", `[${entries.join(",")}]`]]);
}

/** The agent's report with the hashes that it lacks taken from the annotation, if that speaks of the same instance. */
export function completedFacts(reported: ContainerFacts, annotated: AnnotatedFacts | undefined): ContainerFacts {
  return annotated?.containerID === reported.containerID ? { ...annotated, ...reported } : reported;
}

function writeEntry(container: Container, facts: AnnotatedFacts): string {
  const envHash = metadataEnvs(container).length === 0 ? NO_ENV_HASH : facts.envHash;
  const hashes = structJson([
    ["plainHash", goJson(facts.plainHash ?? 0)],
    ["extractedEnvFromMetadataHash", envHash === undefined ? undefined : goJson(envHash)],
  ]);
  return structJson([
    ["name", goJson(container.name)],
    ["containerID", goJson(facts.containerID)],
    ["restartCount", goJson(facts.restartCount)],
    ["hashes", hashes],
  ]);
}

function readAnnotation(object: JsonObject): readonly AnnotatedFacts[] {
  return readList(object["containers"], "containers", readEntry);
}

function readEntry(value: unknown, name: string): AnnotatedFacts {
  const object = readObject(value, name);
  const hashes = readObject(object["hashes"] ?? {}, `${name}.hashes`);
  const plainHash = readHash(hashes["plainHash"]);
  const envHash = readHash(hashes["extractedEnvFromMetadataHash"]);
  return {
    name: readText(object["name"], `${name}.name`),
    containerID: readText(object["containerID"] ?? "", `${name}.containerID`),
    restartCount: typeof object["restartCount"] === "number" ? object["restartCount"] : 0,
    ...(plainHash === undefined ? {} : { plainHash }),
    ...(envHash === undefined ? {} : { envHash }),
  };
}

// Zero is how Go says absent.
function readHash(value: unknown): number | undefined {
  return typeof value === "number" && value !== 0 ? value : undefined;
}
