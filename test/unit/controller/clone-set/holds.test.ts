import { describe, expect, test } from "@jest/globals";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { FakeClock } from "../../../support/fake-clock.js";

function setUp(): { readonly holds: Holds; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, holds: new Holds(clock, { next: () => 0, hex: () => "" }, 300_000) };
}

describe("Holds", () => {
  test("holds an object back for 5 s, then twice as long each time", async () => {
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

  test("holds nothing back for longer than it may", async () => {
    const clock = new FakeClock();
    const holds = new Holds(clock, { next: () => 0, hex: () => "" }, 7_000);
    for (let count = 0; count < 5; count++) holds.add("u", "web-1", "refused");
    await clock.advance(7_000);
    expect(holds.current("u", "web-1")).toBeUndefined();
  });

  test("lets another wish and another object pass at once", () => {
    const { holds } = setUp();
    holds.add("u", "web-1", "refused");
    expect(holds.current("u", "web-2")).toBeUndefined();
    expect(holds.current("v", "web-1")).toBeUndefined();
  });

  test("forgets an object that got its wish", () => {
    const { holds } = setUp();
    holds.add("u", "web-1", "refused");
    holds.remove("u");
    expect(holds.current("u", "web-1")).toBeUndefined();
  });
});
