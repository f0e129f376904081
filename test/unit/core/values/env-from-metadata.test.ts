import { describe, expect, test } from "@jest/globals";
import type { EnvVar } from "../../../../src/api/pod.js";
import { expectedEnvHash, liveEnvHash, metadataEnvs } from "../../../../src/core/values/env-from-metadata.js";
import { NO_ENV_HASH } from "../../../../src/core/values/hash.js";

function fromField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } };
}

describe("metadataEnvs()", () => {
  for (const { when, env, want } of [
    { when: "an annotation is read", env: fromField("A", "metadata.annotations['x/y.z']"), want: { source: "annotations", key: "x/y.z" } },
    { when: "a label is read", env: fromField("A", "metadata.labels['app']"), want: { source: "labels", key: "app" } },
    { when: "the key holds quotes", env: fromField("A", "metadata.labels['a'b']"), want: { source: "labels", key: "a'b" } },
    { when: "another field is read", env: fromField("A", "metadata.name"), want: undefined },
    { when: "the whole map is named", env: fromField("A", "metadata.annotations"), want: undefined },
    { when: "the closing bracket is missing", env: fromField("A", "metadata.annotations['x'"), want: undefined },
    { when: "a literal value wins", env: { ...fromField("A", "metadata.labels['app']"), value: "x" }, want: undefined },
    {
      when: "an empty value stands beside the reference",
      env: { ...fromField("A", "metadata.labels['a']"), value: "" },
      want: { source: "labels", key: "a" },
    },
    { when: "SidecarSet owns the name", env: fromField("SIDECARSET_VERSION_ALT", "metadata.annotations['v']"), want: undefined },
    { when: "the value is literal", env: { name: "A", value: "1" }, want: undefined },
  ]) {
    test(`metadataEnvs() finds ${want === undefined ? "nothing" : `${want.source} "${want.key}"`} when ${when}`, () => {
      expect(metadataEnvs({ env: [env] })).toEqual(want === undefined ? [] : [{ name: "A", ...want }]);
    });
  }

  test("metadataEnvs() of a container without env is empty", () => {
    expect(metadataEnvs({})).toEqual([]);
  });

  test("metadataEnvs() leaves out a variable that a later entry overrides", () => {
    const env = [
      fromField("A", "metadata.labels['a']"),
      fromField("A", "metadata.labels['b']"),
      fromField("B", "metadata.labels['b']"),
      { name: "B", value: "x" },
    ];
    expect(metadataEnvs({ env })).toEqual([{ name: "A", source: "labels", key: "b" }]);
  });
});

describe("expectedEnvHash() and liveEnvHash()", () => {
  const container = { env: [fromField("B", "metadata.annotations['b']"), fromField("A", "metadata.labels['a']")] };

  test("they agree on the vector of the specification when the process runs with the metadata", () => {
    const expected = expectedEnvHash(container, { labels: { a: "1" }, annotations: { b: "<x&y>" } });
    const live = liveEnvHash(["B", "A"], new Map(Object.entries({ A: "1", B: "<x&y>", PATH: "/bin" })));
    expect([expected, live]).toEqual([3672897451, 3672897451]);
  });

  test("they differ when the process runs with an older value", () => {
    const expected = expectedEnvHash(container, { labels: { a: "2" }, annotations: { b: "" } });
    expect(liveEnvHash(["B", "A"], new Map([["A", "1"]]))).not.toBe(expected);
  });

  test("a missing key and a missing variable count as empty", () => {
    const one = { env: [fromField("APP_CONFIG", "metadata.annotations['toString']")] };
    expect([expectedEnvHash(one, {}), expectedEnvHash(one, { annotations: {} })]).toEqual([225531427, 225531427]);
    expect(liveEnvHash(["APP_CONFIG"], new Map())).toBe(225531427);
  });

  test("a container without such variables has the constant hash", () => {
    expect([expectedEnvHash({}, {}), liveEnvHash([], new Map())]).toEqual([NO_ENV_HASH, NO_ENV_HASH]);
  });
});
