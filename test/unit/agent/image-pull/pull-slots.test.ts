import { describe, expect, test } from "@jest/globals";
import { DEFAULT_PARALLEL_PULLS, PullSlots } from "../../../../src/agent/image-pull/pull-slots.js";
import { settle } from "../../../support/fake-clock.js";

describe("PullSlots", () => {
  const { signal } = new AbortController();

  async function takenAtOnce(slots: PullSlots): Promise<number> {
    let taken = 0;
    for (let asked = 0; asked < 20; asked++) void slots.take(signal).then(() => taken++);
    await settle();
    return taken;
  }

  for (const [limit, want] of [
    [2, 2],
    [0, DEFAULT_PARALLEL_PULLS],
    [-1, DEFAULT_PARALLEL_PULLS],
    [undefined, DEFAULT_PARALLEL_PULLS],
  ]) {
    test(`a limit of ${limit} gives ${want} places`, async () => expect(await takenAtOnce(new PullSlots(limit))).toBe(want));
  }

  test("places go round in the order of asking, past those who left", async () => {
    const slots = new PullSlots(1);
    const order: string[] = [];
    const giveBack = await slots.take(signal);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const first = slots.take(signal).then((give) => {
      order.push("first");
      give();
    });
    const second = slots.take(signal).then((give) => {
      order.push("second");
      give();
    });
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    giveBack();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
    expect(await takenAtOnce(slots)).toBe(1);
  });

  test("who comes with an aborted signal gets no place", async () => {
    await expect(new PullSlots(1).take(AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
  });
});
