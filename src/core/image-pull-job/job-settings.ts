import type { ImagePullJobSpec } from "../../api/image-pull-job.js";
import type { IntOrString } from "../../api/meta.js";
import { nameAndTag, parseImageReference } from "../values/image-reference.js";
import { selectorProblem } from "../values/label-selector.js";

/** What a job's spec means, defaults filled in. */
export interface JobSettings {
  /** Key of the image in NodeImages. */
  readonly image: string;
  /** Tag or digest. */
  readonly tag: string;
  readonly imagePullPolicy: string;
  readonly parallelism: number;
  /** False for a job of type Never. */
  readonly endsWithAllNodes: boolean;
  readonly timeoutSeconds: number;
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number | undefined;
  readonly ttlSecondsAfterFinished: number | undefined;
}

const DEFAULT_TIMEOUT_SECONDS = 600;
const DEFAULT_BACKOFF_LIMIT = 3;

/** The settings of a job that has no `jobProblem`. Source: spec/node-agent.md 4.7. */
export function jobSettings(spec: ImagePullJobSpec): JobSettings | undefined {
  const reference = parseImageReference(spec.image);
  const parallelism = parallelismOf(spec.parallelism);
  if (reference === undefined || parallelism === undefined) return undefined;
  const { name: image, tag } = nameAndTag(reference);
  const { timeoutSeconds = 0, backoffLimit = -1 } = spec.pullPolicy ?? {};
  const { type, activeDeadlineSeconds, ttlSecondsAfterFinished } = spec.completionPolicy ?? {};
  return {
    image,
    tag,
    imagePullPolicy: spec.imagePullPolicy ?? "IfNotPresent",
    parallelism,
    endsWithAllNodes: type !== "Never",
    timeoutSeconds: timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
    backoffLimit: backoffLimit >= 0 ? backoffLimit : DEFAULT_BACKOFF_LIMIT,
    activeDeadlineSeconds,
    ttlSecondsAfterFinished,
  };
}

/** Why a job cannot be carried out and the way out, for the user; undefined when it can. The schema refuses most of this earlier. */
export function jobProblem(spec: ImagePullJobSpec): string | undefined {
  if ((spec.pullSecrets ?? []).length > 0) {
    return "spec.pullSecrets is not supported yet: create the job again without it, the nodes then pull with the registry credentials of their own runtime";
  }
  if (parseImageReference(spec.image) === undefined)
    return `spec.image "${spec.image}" is not an image reference: write it like "registry:5000/team/app:v2"`;
  if (parallelismOf(spec.parallelism) === undefined)
    return `spec.parallelism "${spec.parallelism}" is not a number of nodes: use 0 or more`;
  return selectionProblem(spec) ?? typeProblem(spec);
}

function selectionProblem({ selector, podSelector }: ImagePullJobSpec): string | undefined {
  if (selector !== undefined && podSelector !== undefined) return "spec.selector and spec.podSelector exclude each other: remove one";
  const nodes = selector === undefined ? undefined : selectorProblem(selector);
  if (nodes !== undefined) return `spec.selector is malformed: ${nodes}`;
  const pods = podSelector === undefined ? undefined : selectorProblem(podSelector);
  return pods === undefined ? undefined : `spec.podSelector is malformed: ${pods}`;
}

function typeProblem({ completionPolicy }: ImagePullJobSpec): string | undefined {
  const type = completionPolicy?.type;
  return type === undefined || type === "" || type === "Always" || type === "Never"
    ? undefined
    : `spec.completionPolicy.type "${type}" is unknown: use Always or Never`;
}

function parallelismOf(value: IntOrString | undefined): number | undefined {
  if (value === undefined) return 1;
  const parsed = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof parsed === "number" && Number.isSafeInteger(parsed) && parsed >= 0 ? parsed : undefined;
}
