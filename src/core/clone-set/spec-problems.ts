import type { CloneSetSpec, CloneSetUpdateStrategy } from "../../api/clone-set.js";
import type { IntOrString, LabelSelector, StringMap } from "../../api/meta.js";
import type { PodSpec } from "../../api/pod.js";
import { resolveIntOrPercent } from "../values/int-or-percent.js";
import { isJsonObject } from "../values/json-object.js";
import { shapeProblems } from "../values/json-shape.js";
import { matchesSelector, selectorProblem } from "../values/label-selector.js";
import { DEFAULT_MAX_UNAVAILABLE } from "./limits.js";
import { SPEC_TYPES } from "./spec-types.js";

/** A value that cannot be meant, and what to write instead. */
export interface SpecProblem {
  readonly field: string;
  /** One sentence for the user: the value as it is and the way out. Values of the template are not quoted: they may be secrets. */
  readonly message: string;
}

/** The empty policy is upstream's way to leave the default. */
const POLICIES: readonly string[] = ["", "ReCreate", "InPlaceIfPossible", "InPlaceOnly", "OnDelete"];

/** What makes a spec unusable although the API server let it through; while there is something, pods are left alone. */
export function specProblems(spec: CloneSetSpec): readonly SpecProblem[] {
  const shape = shapeProblems(spec, SPEC_TYPES, "spec");
  if (shape.length > 0) return shape;
  const containers = containerProblems(spec.template);
  if (containers.length > 0) return containers;
  return [
    ...selectorProblems(spec.selector, spec.template.metadata?.labels),
    ...endingProblems(spec.template.spec),
    ...numberProblems(spec),
    ...strategyProblems(spec),
  ];
}

// The schema leaves the template open, so there may be none.
function containerProblems(template: unknown): readonly SpecProblem[] {
  const podSpec = isJsonObject(template) ? template["spec"] : undefined;
  const containers = isJsonObject(podSpec) ? podSpec["containers"] : undefined;
  const field = "spec.template.spec.containers";
  if (!Array.isArray(containers) || containers.length === 0) return [{ field, message: "is empty: name at least one container" }];
  const isNamed = (container: unknown): boolean => isJsonObject(container) && typeof container["name"] === "string";
  return containers.every(isNamed) ? [] : [{ field, message: "has an entry without a name: give every container a name" }];
}

function selectorProblems(selector: LabelSelector | null | undefined, labels: StringMap | null | undefined): readonly SpecProblem[] {
  const field = "spec.selector";
  const malformed = selectorProblem(selector ?? {});
  if (malformed !== undefined) return [{ field, message: `cannot be used: ${malformed}` }];
  if (Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0) {
    return [{ field, message: "is empty and would select every pod: use labels that spec.template.metadata.labels has" }];
  }
  if (matchesSelector(selector, labels)) return [];
  return [{ field, message: "does not match spec.template.metadata.labels: add the selector's labels to the template" }];
}

// Pods that end would be replaced for ever, and a container that is restarted in place would not come back.
function endingProblems({ restartPolicy, activeDeadlineSeconds }: PodSpec): readonly SpecProblem[] {
  const field = "spec.template.spec";
  const deadline = { field: `${field}.activeDeadlineSeconds`, message: "makes pods end: remove the field" };
  return [
    ...((restartPolicy || "Always") === "Always" ? [] : [{ field: `${field}.restartPolicy`, message: "lets pods end: use Always" }]),
    ...((activeDeadlineSeconds ?? undefined) === undefined ? [] : [deadline]),
  ];
}

function numberProblems(spec: CloneSetSpec): readonly SpecProblem[] {
  const numbers: readonly (readonly [string, number | null | undefined])[] = [
    ["spec.replicas", spec.replicas],
    ["spec.minReadySeconds", spec.minReadySeconds],
    ["spec.revisionHistoryLimit", spec.revisionHistoryLimit],
    ["spec.updateStrategy.inPlaceUpdateStrategy.gracePeriodSeconds", spec.updateStrategy?.inPlaceUpdateStrategy?.gracePeriodSeconds],
  ];
  return numbers
    .filter(([, value]) => (value ?? 0) < 0)
    .map(([field, value]) => ({ field, message: `is ${value}: use 0 or a positive number` }));
}

function strategyProblems(spec: CloneSetSpec): readonly SpecProblem[] {
  const strategy = spec.updateStrategy ?? {};
  const replicas = Math.max(spec.replicas ?? 1, 0);
  const problems: SpecProblem[] = [];
  if (!POLICIES.includes(strategy.type ?? "ReCreate")) {
    const message = `is "${strategy.type}": use ReCreate, InPlaceIfPossible or InPlaceOnly`;
    problems.push({ field: "spec.updateStrategy.type", message });
  }
  for (const name of ["partition", "maxUnavailable", "maxSurge"] as const) {
    if (!isMalformed(strategy[name], replicas)) continue;
    const message = `is ${JSON.stringify(strategy[name])}: use a number such as 1 or a percentage such as "20%"`;
    problems.push({ field: `spec.updateStrategy.${name}`, message });
  }
  if (replicas > 0 && canNeverUpdate(strategy, replicas)) {
    const message = "resolves to 0 with maxSurge 0, so no pod could ever be updated: use at least 1";
    problems.push({ field: "spec.updateStrategy.maxUnavailable", message });
  }
  return problems;
}

function canNeverUpdate(strategy: CloneSetUpdateStrategy, replicas: number): boolean {
  const surge = resolveIntOrPercent(strategy.maxSurge ?? 0, replicas, "up");
  return surge === 0 && resolveIntOrPercent(strategy.maxUnavailable ?? DEFAULT_MAX_UNAVAILABLE, replicas, "up") === 0;
}

function isMalformed(value: IntOrString | null | undefined, total: number): boolean {
  return value !== undefined && value !== null && resolveIntOrPercent(value, total, "up") === undefined;
}
