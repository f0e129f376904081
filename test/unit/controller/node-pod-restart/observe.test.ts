import { describe, expect, test } from "@jest/globals";
import type { Pod } from "../../../../src/api/pod.js";
import { rememberWishes } from "../../../../src/controller/node-pod-restart/observe.js";

describe("rememberWishes()", () => {
  test.each([
    { what: "a wish", makeWish: (pod: Pod) => ({ pod, revision: "r", pending: [] }) },
    { what: "none", makeWish: () => undefined },
  ])("looks once at each version of a pod that has $what", ({ makeWish }) => {
    let looks = 0;
    const wishOf = rememberWishes((pod) => {
      looks++;
      return makeWish(pod);
    });
    const pod: Pod = { metadata: { name: "web-0" }, spec: { containers: [] } };
    const next = { ...pod };
    for (const version of [pod, pod, next, pod, next]) expect(wishOf(version)).toEqual(makeWish(version));
    expect(looks).toBe(2);
  });
});
