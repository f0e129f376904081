import type { Condition } from "../../api/meta.js";
import { IN_PLACE_UPDATE_READY } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { toRfc3339Seconds } from "../values/timestamps.js";
import { conditionOf, hasReadinessGate } from "./pod-facts.js";
import type { ConditionPatch } from "./types.js";

/**
 * The conditions that take the pod out of service before containers of it restart: `InPlaceUpdateReady` and what follows for `Ready`.
 *
 * Empty when the pod has no readiness gate or is out of service already. Ready is computed here too, so that endpoints change
 * with this very write and not when the kubelet gets to it; only the kubelet ever raises it again.
 * Source: spec/in-place-update.md 1.8 step 2; stamping Ready's transition time is ours.
 */
export function unreadyConditions(pod: Pod, nowMs: number): readonly ConditionPatch[] {
  if (!hasReadinessGate(pod)) return [];
  const patches: ConditionPatch[] = [];
  const gate = conditionOf(pod, IN_PLACE_UPDATE_READY);
  const lastTransitionTime = toRfc3339Seconds(nowMs);
  if (gate?.status !== "False") {
    const base = { type: IN_PLACE_UPDATE_READY, status: "False", reason: "StartInPlaceUpdate", lastTransitionTime } as const;
    patches.push({ ...base, ...removal(gate, "message") });
  }
  if (conditionOf(pod, "Ready")?.status === "True" && conditionOf(pod, "ContainersReady")?.status === "True") {
    const message = gateMessages(pod).join(", ");
    patches.push({ type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message, lastTransitionTime });
  }
  return patches;
}

/** The condition that lets the pod into service again; empty when it already says exactly that, or has no meaning for the pod. */
export function readyConditions(pod: Pod, nowMs: number): readonly ConditionPatch[] {
  if (!hasReadinessGate(pod)) return [];
  const gate = conditionOf(pod, IN_PLACE_UPDATE_READY);
  if (gate?.status === "True" && isBlank(gate.reason) && isBlank(gate.message)) return [];
  const lastTransitionTime = gate?.status === "True" ? (gate.lastTransitionTime ?? toRfc3339Seconds(nowMs)) : toRfc3339Seconds(nowMs);
  const base = { type: IN_PLACE_UPDATE_READY, status: "True", lastTransitionTime } as const;
  return [{ ...base, ...removal(gate, "reason"), ...removal(gate, "message") }];
}

// The kubelet's own words, so that its next write changes nothing.
function gateMessages(pod: Pod): readonly string[] {
  return (pod.spec.readinessGates ?? []).flatMap(({ conditionType: type }) => {
    const status = type === IN_PLACE_UPDATE_READY ? "False" : conditionOf(pod, type)?.status;
    if (status === undefined) return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    return status === "True" ? [] : [`the status of pod readiness gate "${type}" is not "True", but ${status}`];
  });
}

function removal(condition: Condition | undefined, field: "reason" | "message"): Partial<ConditionPatch> {
  return isBlank(condition?.[field]) ? {} : { [field]: null };
}

function isBlank(text: string | null | undefined): boolean {
  return (text ?? "") === "";
}
