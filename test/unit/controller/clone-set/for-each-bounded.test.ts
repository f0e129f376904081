import { describe, expect, test } from "@jest/globals";
import { forEachBounded } from "../../../../src/controller/clone-set/for-each-bounded.js";

describe("forEachBounded()", () => {
  test("works on every item in order, never on more than the limit at a time", async () => {
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    await forEachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      seen.push(item);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  test("rejects with the first failure only after what was begun has ended", async () => {
    const ended: number[] = [];
    const work = forEachBounded([1, 2], 2, async (item) => {
      if (item === 1) throw new Error("broken");
      await Promise.resolve();
      ended.push(item);
    });
    await expect(work).rejects.toThrow("broken");
    expect(ended).toEqual([2]);
  });

  test("does nothing for no items", async () => {
    await forEachBounded([], 3, () => Promise.reject(new Error("called")));
  });
});
