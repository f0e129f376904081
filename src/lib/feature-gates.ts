/** Feature gates, asked by the code whose behaviour they decide. */
export interface FeatureGates {
  /** @throws {TypeError} for a name that does not exist */
  isEnabled(name: string): boolean;
}

export type GateStage = "Alpha" | "Beta";

/** One gate: its default, and whether anything of ours hangs on it yet. */
export interface GateDeclaration {
  readonly stage: GateStage;
  readonly fallback: boolean;
  /** False: the name is accepted so that a list written for OpenKruise works, but nothing happens. */
  readonly implemented: boolean;
}

const alpha = (fallback = false, implemented = false): GateDeclaration => ({ stage: "Alpha", fallback, implemented });
const beta = (fallback = true, implemented = false): GateDeclaration => ({ stage: "Beta", fallback, implemented });

/** Every name of OpenKruise's list (spec/in-place-update.md section 5), with its default. */
export const GATES: Readonly<Record<string, GateDeclaration>> = {
  KruiseDaemon: beta(true, true),
  DaemonWatchingPod: beta(true, true),
  InPlaceUpdateEnvFromMetadata: beta(true, true),
  ImagePullJobGate: alpha(false, true),
  PodWebhook: beta(),
  CloneSetShortHash: alpha(),
  KruisePodReadinessGate: alpha(),
  PreDownloadImageForInPlaceUpdate: alpha(),
  PreDownloadImageForDaemonSetUpdate: alpha(),
  CloneSetPartitionRollback: alpha(),
  CloneSetEventHandlerOptimization: alpha(),
  PreparingUpdateAsUpdate: alpha(),
  RecreatePodWhenChangeVCTInCloneSetGate: alpha(),
  ForceDeleteTimeoutExpectationGate: alpha(),
  ResourcesDeletionProtection: beta(false),
  DeletionProtectionForCRDCascadingGate: alpha(),
  ResourceDistributionGate: beta(false),
  WorkloadSpread: beta(),
  PodUnavailableBudgetDeleteGate: beta(),
  PodUnavailableBudgetUpdateGate: alpha(),
  TemplateNoDefaults: alpha(),
  DefaultHostNetworkHostPortsInPodTemplates: alpha(),
  SidecarSetPatchPodMetadataDefaultsAllowed: alpha(),
  SidecarTerminator: alpha(),
  EnableSortSidecarContainerByName: alpha(),
  PodProbeMarkerGate: beta(),
  EnablePodProbeMarkerOnServerless: alpha(),
  EnhancedLivenessProbe: alpha(),
  StatefulSetAutoDeletePVC: beta(),
  StatefulSetStartOrdinal: alpha(),
  StatefulSetAutoResizePVCGate: alpha(),
  PodIndexLabel: beta(),
  EnableExternalCerts: alpha(),
  InPlaceWorkloadVerticalScaling: alpha(),
  InPlacePodVerticalScaling: alpha(),
  DaemonSetPruneIneligibleNodes: alpha(),
};

/** When the first gate is off, the others are forced off, whatever the flag says. */
const FORCED_OFF: readonly (readonly [string, readonly string[]])[] = [
  [
    "PodWebhook",
    [
      "KruisePodReadinessGate",
      "PodUnavailableBudgetDeleteGate",
      "PodUnavailableBudgetUpdateGate",
      "WorkloadSpread",
      "SidecarSetPatchPodMetadataDefaultsAllowed",
      "EnhancedLivenessProbe",
      "EnablePodProbeMarkerOnServerless",
    ],
  ],
  [
    "KruiseDaemon",
    [
      "PreDownloadImageForInPlaceUpdate",
      "PreDownloadImageForDaemonSetUpdate",
      "DaemonWatchingPod",
      "InPlaceUpdateEnvFromMetadata",
      "PodProbeMarkerGate",
      "SidecarTerminator",
      "ImagePullJobGate",
      "EnhancedLivenessProbe",
    ],
  ],
  ["DaemonWatchingPod", ["InPlaceUpdateEnvFromMetadata"]],
  ["ResourcesDeletionProtection", ["DeletionProtectionForCRDCascadingGate"]],
];
const PRE_DOWNLOAD_GATES: readonly string[] = ["PreDownloadImageForInPlaceUpdate", "PreDownloadImageForDaemonSetUpdate"];

/** The gates of one process, with what an operator should be told about them at the start. */
export interface ParsedGates extends FeatureGates {
  /** Gates that were switched on although nothing of ours hangs on them yet. */
  readonly withoutEffect: readonly string[];
  /** Gates that were asked for but are off because another gate is. */
  readonly forcedOff: readonly string[];
}

/**
 * Reads a `--feature-gates` list such as `A=true,B=false,AllAlpha=true`; single names win over the groups AllAlpha and AllBeta.
 *
 * @throws {TypeError} one line naming the gate and what is allowed
 */
export function parseFeatureGates(text: string): ParsedGates {
  const asked = parseAssignments(text);
  const state = new Map<string, boolean>();
  for (const [name, gate] of Object.entries(GATES)) state.set(name, asked.get(name) ?? asked.get(`All${gate.stage}`) ?? gate.fallback);
  const forcedOff = applyCascades(state).filter((name) => asked.get(name) === true);
  const withoutEffect = [...asked.keys()].filter((name) => GATES[name]?.implemented === false && state.get(name) === true);
  return { withoutEffect, forcedOff, isEnabled: (name) => stateOf(state, name) };
}

function parseAssignments(text: string): ReadonlyMap<string, boolean> {
  const asked = new Map<string, boolean>();
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [name = "", value, ...rest] = part.split("=");
    if (value === undefined || rest.length > 0 || !["true", "false"].includes(value.toLowerCase())) {
      throw new TypeError(`invalid feature gate "${part}": allowed is Name=true or Name=false`);
    }
    if (!Object.hasOwn(GATES, name) && name !== "AllAlpha" && name !== "AllBeta") {
      throw new TypeError(`unknown feature gate "${name}": allowed are AllAlpha, AllBeta, ${Object.keys(GATES).sort().join(", ")}`);
    }
    asked.set(name, value.toLowerCase() === "true");
  }
  return asked;
}

function applyCascades(state: Map<string, boolean>): readonly string[] {
  const forced: string[] = [];
  for (const [gate, others] of FORCED_OFF) {
    if (stateOf(state, gate)) continue;
    for (const other of others) {
      if (stateOf(state, other)) forced.push(other);
      state.set(other, false);
    }
  }
  if (PRE_DOWNLOAD_GATES.some((gate) => stateOf(state, gate))) state.set("ImagePullJobGate", true);
  return forced;
}

function stateOf(state: ReadonlyMap<string, boolean>, name: string): boolean {
  const enabled = state.get(name);
  if (enabled === undefined) throw new TypeError(`unknown feature gate "${name}"`);
  return enabled;
}
