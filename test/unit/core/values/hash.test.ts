import { describe, expect, test } from "@jest/globals";
import { goJson } from "../../../../src/core/values/go-json.js";
import { deepHash, envHash, fnv132, fnv1a32, NO_ENV_HASH, plainHash } from "../../../../src/core/values/hash.js";

test("fnv1a32() and fnv132() give the published values", () => {
  expect([fnv1a32(""), fnv1a32("a"), fnv1a32("foobar")]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect([fnv132(""), fnv132("a"), fnv132("foobar")]).toEqual([0x811c9dc5, 0x050c5d7e, 0x31f0b262]);
});

describe("envHash()", () => {
  for (const { entries, want } of [
    { entries: [], want: 86995377 },
    { entries: [{ name: "APP_CONFIG", value: "v1" }], want: 4274367333 },
    { entries: [{ name: "APP_CONFIG", value: "" }], want: 225531427 },
    { entries: [{ name: "e2", value: "foo" }], want: 2053173458 },
    { entries: [{ name: "A", value: "" }], want: 3524302846 },
    {
      entries: [
        { name: "B", value: "<x&y>" },
        { name: "A", value: "1" },
      ],
      want: 3672897451,
    },
  ]) {
    test(`envHash() of ${JSON.stringify(entries)} is ${want}`, () => {
      expect(envHash(entries)).toBe(want);
    });
  }

  test("NO_ENV_HASH is the hash of JSON null", () => {
    expect(deepHash("null")).toBe(NO_ENV_HASH);
  });

  test("envHash() escapes like Go", () => {
    const found = ["<x>&y", 'é\u2028"\\'].map((value) => envHash([{ name: "A", value }]));
    expect(found).toEqual([3050778778, 2194323097]);
  });
});

describe("plainHash()", () => {
  for (const { name, image, want } of [
    { name: "main", image: "nginx:1.21", want: 978135691 },
    { name: "main", image: "nginx:1.25", want: 436018172 },
    { name: "app", image: "registry.example/app-image:v1", want: 3710590709 },
    { name: "test_container", image: "foo/image:v1", want: 0x8e45cbd0 },
  ]) {
    test(`plainHash() of ${name} with ${image} is ${want}`, () => {
      expect(plainHash({ name, image })).toBe(want);
    });
  }
});

test("deepHash() of a whole container is what a kubelet before 1.31 wrote", () => {
  const args = ["/bin/sh", "-c", "echo abc"];
  const container = { name: "test_container", image: "foo/image:v1", args, ports: [{ containerPort: 8001 }], resources: {} };
  expect(deepHash(JSON.stringify(container))).toBe(0x3c42280f);
  expect(deepHash(goJson(container))).not.toBe(0x3c42280f);
});
