import { describe, expect, test } from "@jest/globals";
import { GATES, parseFeatureGates } from "../../../src/lib/feature-gates.js";

describe("parseFeatureGates()", () => {
  test("starts from the defaults", () => {
    const gates = parseFeatureGates("");
    for (const [name, gate] of Object.entries(GATES)) expect([name, gates.isEnabled(name)]).toEqual([name, gate.fallback]);
  });

  test.each([
    { text: "ImagePullJobGate=true", gate: "ImagePullJobGate", want: true },
    { text: "AllAlpha=true", gate: "ImagePullJobGate", want: true },
    { text: "AllAlpha=true,CloneSetShortHash=false", gate: "CloneSetShortHash", want: false },
    { text: "CloneSetShortHash=false, AllAlpha=true", gate: "CloneSetShortHash", want: false },
    { text: "ImagePullJobGate=false,AllAlpha=true", gate: "ImagePullJobGate", want: true },
    { text: "AllBeta=false", gate: "KruiseDaemon", want: false },
    { text: "PreDownloadImageForInPlaceUpdate=true", gate: "ImagePullJobGate", want: true },
    { text: "KruiseDaemon=false", gate: "InPlaceUpdateEnvFromMetadata", want: false },
    { text: "KruiseDaemon=false,InPlaceUpdateEnvFromMetadata=true", gate: "InPlaceUpdateEnvFromMetadata", want: false },
    { text: "KruiseDaemon=false,PreDownloadImageForInPlaceUpdate=true", gate: "ImagePullJobGate", want: false },
    { text: "DaemonWatchingPod=false", gate: "InPlaceUpdateEnvFromMetadata", want: false },
    { text: "PodWebhook=false", gate: "WorkloadSpread", want: false },
  ])("$text makes $gate $want", ({ text, gate, want }) => {
    expect(parseFeatureGates(text).isEnabled(gate)).toBe(want);
  });

  test("says which gates have no effect and which were forced off", () => {
    const gates = parseFeatureGates("KruiseDaemon=false,ImagePullJobGate=true,CloneSetShortHash=true");
    expect(gates.forcedOff).toEqual(["ImagePullJobGate"]);
    expect(gates.withoutEffect).toEqual(["CloneSetShortHash"]);
  });

  test.each([
    { text: "Nope=true", message: /unknown feature gate "Nope": allowed are AllAlpha, AllBeta, / },
    { text: "KruiseDaemon", message: /invalid feature gate "KruiseDaemon": allowed is Name=true or Name=false/ },
    { text: "KruiseDaemon=yes", message: /invalid feature gate "KruiseDaemon=yes"/ },
    { text: "KruiseDaemon=true=false", message: /invalid feature gate/ },
    { text: "constructor=true", message: /unknown feature gate "constructor"/ },
  ])("refuses $text", ({ text, message }) => {
    expect(() => parseFeatureGates(text)).toThrow(message);
  });
});
