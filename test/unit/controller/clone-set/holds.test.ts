import { describe, expect, test } from "@jest/globals";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { FakeClock } from "../../../support/fake-clock.js";

function setUp(): { readonly holds: Holds; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, holds: new Holds(clock, { next: () => 0, hex: () => "" }) };
}

describe("Holds", () => {
  test("holds a pod back for 5 s, then twice as long each time", async () => {
    const { holds, clock } = setUp();
    holds.add("u", "web-1", "refused");
    await clock.advance(4_999);
    expect(holds.current("u", "web-1")?.message).toBe("refused");
    await clock.advance(1);
    expect(holds.current("u", "web-1")).toBeUndefined();
    holds.add("u", "web-1", "refused");
    await clock.advance(9_999);
    expect(holds.current("u", "web-1")).toBeDefined();
    await clock.advance(1);
    expect(holds.current("u", "web-1")).toBeUndefined();
  });

  test("lets another revision and another pod pass at once", () => {
    const { holds } = setUp();
    holds.add("u", "web-1", "refused");
    expect(holds.current("u", "web-2")).toBeUndefined();
    expect(holds.current("v", "web-1")).toBeUndefined();
  });

  test("forgets a pod that was updated", () => {
    const { holds } = setUp();
    holds.add("u", "web-1", "refused");
    holds.remove("u");
    expect(holds.current("u", "web-1")).toBeUndefined();
  });
});
