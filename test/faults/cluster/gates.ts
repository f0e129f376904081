import type { FeatureGates } from "../../../src/lib/feature-gates.js";

/** Every feature on, as the shipped manifests have it. */
export const allGates: FeatureGates = { isEnabled: () => true };
