import { describe, expect, test } from "@jest/globals";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { newPod } from "../../../../src/core/clone-set/new-pod.js";
import { owningCloneSet } from "../../../../src/core/clone-set/owner.js";
import { makeCloneSet } from "../../../support/clone-set.js";

const template: PodTemplate = {
  metadata: { labels: { app: "web" }, annotations: { config: "one" }, finalizers: ["example.com/guard"] },
  spec: { containers: [{ name: "app", image: "app:v1" }] },
};
const request = { template, revision: "web-5f6b46497d", instanceId: "7k2z4", nowText: "2026-01-02T03:04:05Z" };

describe("newPod()", () => {
  test("carries template, revision, instance and lifecycle", () => {
    const { metadata, spec } = newPod(makeCloneSet(), request);
    expect(metadata).toEqual({
      name: "web-7k2z4",
      generateName: "web-",
      namespace: "shop",
      labels: {
        app: "web",
        "apps.kruise.io/cloneset-instance-id": "7k2z4",
        "controller-revision-hash": "web-5f6b46497d",
        "pod-template-hash": "5f6b46497d",
        "lifecycle.apps.kruise.io/state": "PreparingNormal",
      },
      annotations: { config: "one", "lifecycle.apps.kruise.io/timestamp": "2026-01-02T03:04:05Z" },
      finalizers: ["example.com/guard"],
      ownerReferences: [expect.objectContaining({ kind: "CloneSet", uid: "set-uid" })],
    });
    expect(spec.readinessGates).toEqual([{ conditionType: "InPlaceUpdateReady" }]);
  });

  test("adds the readiness gate once, behind those of the template", () => {
    const withGates = (...gates: readonly string[]): PodTemplate => ({
      ...template,
      spec: { ...template.spec, readinessGates: gates.map((conditionType) => ({ conditionType })) },
    });
    const gatesOf = (of: PodTemplate): readonly string[] | undefined =>
      newPod(makeCloneSet(), { ...request, template: of }).spec.readinessGates?.map(({ conditionType }) => conditionType);
    expect(gatesOf(withGates("other"))).toEqual(["other", "InPlaceUpdateReady"]);
    expect(gatesOf(withGates("InPlaceUpdateReady"))).toEqual(["InPlaceUpdateReady"]);
  });
});

describe("owningCloneSet()", () => {
  const owner = { apiVersion: "apps.kruise.io/v1beta1", kind: "CloneSet", name: "web", uid: "u", controller: true };

  test.each([
    { owner, isFound: true },
    { owner: { ...owner, controller: false }, isFound: false },
    { owner: { ...owner, kind: "StatefulSet" }, isFound: false },
    { owner: { ...owner, apiVersion: "apps/v1" }, isFound: false },
  ])("of $owner is found: $isFound", ({ owner: reference, isFound }) => {
    expect(owningCloneSet({ metadata: { name: "p", ownerReferences: [reference] } }) !== undefined).toBe(isFound);
  });
});
