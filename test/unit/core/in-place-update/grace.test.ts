import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isInGrace, readGrace, writeGrace } from "../../../../src/core/in-place-update/grace.js";
import { makePod } from "./fixtures.js";

const GRACE = "apps.kruise.io/inplace-update-grace";
const EMPTY = { revision: "r", images: {}, refMetadata: {}, resources: {}, metadata: {}, updateEnvFromMetadata: false, graceSeconds: 0 };

describe("readGrace() and writeGrace()", () => {
  test("give back what OpenKruise wrote for an image", () => {
    const text = '{"revision":"web-54f6f795f6","containerImages":{"app":"lab.local/app:v2"},"graceSeconds":5}';
    const grace = readGrace(makePod({ annotations: { [GRACE]: text } }));
    expect(grace).toEqual({
      type: "value",
      value: { ...EMPTY, revision: "web-54f6f795f6", images: { app: "lab.local/app:v2" }, graceSeconds: 5 },
    });
    expect(grace.type === "value" && writeGrace(grace.value)).toBe(text);
  });

  test("understand env changes with an empty metadata patch, as OpenKruise writes them", () => {
    const text =
      '{"revision":"r","containerRefMetadata":{"app":{"annotations":{"config":"two"}}},"metaDataPatch":"e30=","updateEnvFromMetadata":true,"graceSeconds":5}';
    expect(readGrace(makePod({ annotations: { "inplace-update-grace": text } }))).toMatchObject({
      type: "value",
      value: { refMetadata: { app: { annotations: { config: "two" } } }, metadata: {}, updateEnvFromMetadata: true },
    });
  });

  test("keep a metadata patch with removed keys, base64-encoded, whatever its letters", () => {
    const value = { ...EMPTY, metadata: { labels: { tier: "front", old: null }, annotations: { "a/b~c": "grün ✓ <x>" } } };
    const text = writeGrace(value);
    expect(text).toMatch(/^\{"revision":"r","metaDataPatch":"[A-Za-z0-9+/]+=*"\}$/);
    expect(readGrace(makePod({ annotations: { [GRACE]: text } }))).toEqual({ type: "value", value });
  });

  test.each([
    "{",
    "{}",
    '{"revision":"r","metaDataPatch":"%"}',
    '{"revision":"r","metaDataPatch":"e30"}x',
    '{"revision":"r","graceSeconds":"5"}',
  ])("readGrace() returns unreadable for %s, and the pod counts as in grace", (text) => {
    const pod = makePod({ annotations: { [GRACE]: text } });
    expect(readGrace(pod).type).toBe("unreadable");
    expect(isInGrace(pod)).toBe(true);
  });

  test("readGrace() never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (text, patch) => {
        readGrace(makePod({ annotations: { [GRACE]: text } }));
        readGrace(makePod({ annotations: { [GRACE]: JSON.stringify({ revision: "r", metaDataPatch: patch }) } }));
      }),
    );
  });
});
