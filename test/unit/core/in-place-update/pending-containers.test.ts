import { describe, expect, test } from "@jest/globals";
import { pendingContainers } from "../../../../src/core/in-place-update/pending-containers.js";
import { makePod, makeTemplate, type PodOptions, readyConditions } from "./fixtures.js";

const STATE = "apps.kruise.io/inplace-update-state";
const NO_ENV = 86995377;
const APP = { container: "app", expectedEnvHash: 935930711, envNames: ["CONFIG"], expectedPlainHash: 2804610836 };
const SIDE = { container: "side", expectedEnvHash: NO_ENV, envNames: [], expectedPlainHash: 3324433514 };

function state(fields: string, containers: readonly string[]): string {
  return `{"revision":"r","updateTimestamp":"t","lastContainerStatuses":null${fields},"containerBatchesRecord":[{"timestamp":"t","containers":${JSON.stringify(containers)}}]}`;
}

function updating(text: string, options: PodOptions = {}) {
  const template = makeTemplate({ annotations: { config: "two" } });
  const annotations = { [STATE]: text, ...options.annotations };
  return makePod({ template, lifecycle: "Updating", conditions: readyConditions("False"), ...options, annotations });
}

const ENV = state(',"updateEnvFromMetadata":true', ["app"]);
const IMAGE = state(',"updateImages":true', ["app"]).replace("null", '{"app":{"imageID":"old"}}');
const BOTH = state(',"updateEnvFromMetadata":true,"updateImages":true', ["app", "side"]).replace("null", '{"app":{},"side":{}}');

describe("pendingContainers()", () => {
  test("names containers of an env update with what their live env must become, the others for facts", () => {
    expect(pendingContainers(updating(ENV))).toEqual([
      { ...APP, reason: "env" },
      { ...SIDE, reason: "facts" },
    ]);
  });

  test("names only changed containers of an image update, without env", () => {
    expect(pendingContainers(updating(IMAGE))).toEqual([{ ...APP, envNames: [], reason: "image" }]);
    expect(pendingContainers(updating(IMAGE, { gates: [], conditions: [] }))).toHaveLength(1);
  });

  test("tells image and env of one container from an image alone", () => {
    expect(pendingContainers(updating(BOTH)).map(({ reason }) => reason)).toEqual(["both", "image"]);
  });

  test.each<[string, string, PodOptions]>([
    ["a settled pod", ENV, { lifecycle: "Normal", conditions: readyConditions() }],
    ["a pod that is complete but for its label", ENV, { conditions: readyConditions() }],
    ["a settled pod without the gate", IMAGE, { gates: [], lifecycle: "Normal" }],
    ["a terminating pod", ENV, { deletionTimestamp: "2026-11-29T17:16:53Z" }],
    ["a pod that has ended", ENV, { phase: "Succeeded" }],
    ["a pod in grace", ENV, { annotations: { "apps.kruise.io/inplace-update-grace": "{}" } }],
    ["plain metadata", state("", []), {}],
    ["a broken state", "{", {}],
    ["an update that never got past the condition", ENV, { lifecycle: "Normal" }],
  ])("is empty for %s", (_, text, options) => {
    expect(pendingContainers(updating(text, options))).toEqual([]);
  });
});
