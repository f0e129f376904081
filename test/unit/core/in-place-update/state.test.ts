import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readUpdateState, writeUpdateState } from "../../../../src/core/in-place-update/state.js";
import { makePod } from "./fixtures.js";

const STATE = "apps.kruise.io/inplace-update-state";
const RECORDED = [
  '{"revision":"web-9b99b747b","updateTimestamp":"2026-11-29T17:16:53Z","lastContainerStatuses":null,"updateEnvFromMetadata":true,"containerBatchesRecord":[{"timestamp":"2026-11-29T17:16:53Z","containers":["app"]}]}',
  '{"revision":"web-54f6f795f6","updateTimestamp":"2026-11-29T17:17:40Z","lastContainerStatuses":null,"updateImages":true}',
  '{"revision":"web-54f6f795f6","updateTimestamp":"2026-11-29T17:17:40Z","lastContainerStatuses":{"app":{"imageID":"lab.local/app@sha256:51e3a5d0b5fc6a3a0b7872a3156b92218b4548b78717f7c822722aaf57a19c08"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"2026-11-29T17:17:45Z","containers":["app"]}]}',
  '{"revision":"web-586645d45b","updateTimestamp":"2026-11-29T17:18:00Z","lastContainerStatuses":null,"containerBatchesRecord":[{"timestamp":"2026-11-29T17:18:00Z","containers":[]}]}',
  '{"revision":"web-66b4d95fdb","updateTimestamp":"2026-11-29T17:17:15Z","lastContainerStatuses":{"redis":{"imageID":"lab.local/app@sha256:51e3a5d0b5fc6a3a0b7872a3156b92218b4548b78717f7c822722aaf57a19c08"}},"updateImages":true,"nextContainerImages":{"nginx":"lab.local/app:v2"},"preCheckBeforeNext":{"containersRequiredReady":["redis"]},"containerBatchesRecord":[{"timestamp":"2026-11-29T17:17:15Z","containers":["redis"]}]}',
];

describe("readUpdateState() and writeUpdateState()", () => {
  test.each(RECORDED)("give back the recorded text %#", (text) => {
    const state = readUpdateState(makePod({ annotations: { [STATE]: text } }));
    expect(state.type === "value" ? writeUpdateState(state.value) : state).toBe(text);
  });

  test("keep waiting metadata and an empty image ID, and drop Go's null timestamps", () => {
    const text =
      '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{}},"nextContainerRefMetadata":{"a":{"creationTimestamp":null,"labels":{"k":"<v>"},"annotations":{"k":"w"}}}}';
    const state = readUpdateState(makePod({ annotations: { [STATE]: text } }));
    expect(state.type === "value" && writeUpdateState(state.value)).toBe(
      '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{}},"nextContainerRefMetadata":{"a":{"labels":{"k":"\\u003cv\\u003e"},"annotations":{"k":"w"}}}}',
    );
  });

  test("readUpdateState() falls back to the legacy key", () => {
    const text = RECORDED[0] ?? "";
    expect(readUpdateState(makePod({ annotations: { "inplace-update-state": text } })).type).toBe("value");
    expect(readUpdateState(makePod({ annotations: { "inplace-update-state": "x", [STATE]: text } })).type).toBe("value");
  });

  test.each([
    ["absent", undefined],
    ["absent", ""],
    ["unreadable", "{"],
    ["unreadable", "null"],
    ["unreadable", "[]"],
    ["unreadable", "{}"],
    ["unreadable", '{"revision":1}'],
    ["unreadable", '{"revision":"r","containerBatchesRecord":[{"containers":[1]}]}'],
    ["unreadable", '{"revision":"r","updateImages":"yes"}'],
  ])("readUpdateState() returns %s for %s", (type, text) => {
    const pod = makePod(text === undefined ? {} : { annotations: { [STATE]: text } });
    expect(readUpdateState(pod).type).toBe(type);
  });

  test("readUpdateState() never throws and never quotes the annotation", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const state = readUpdateState(makePod({ annotations: { [STATE]: text } }));
        if (state.type === "unreadable") expect(state.problem.length).toBeLessThan(80);
        if (state.type === "value") writeUpdateState(state.value);
      }),
    );
  });
});
