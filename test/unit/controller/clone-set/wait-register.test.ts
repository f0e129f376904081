import { expect, test } from "@jest/globals";
import { WaitRegister } from "../../../../src/controller/clone-set/wait-register.js";
import type { WaitingFor } from "../../../../src/core/in-place-update/types.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";
import { makeSetPod } from "../../../support/clone-set.js";
import { FakeClock } from "../../../support/fake-clock.js";

test("WaitRegister shows how many pods wait for what, each pod once, whatever it waited for before", () => {
  const shown = new Map<string, number>();
  const set = (value: number, labels?: Readonly<Record<string, string>>): void => void shown.set(labels?.["waiting_for"] ?? "", value);
  const waits = new WaitRegister({ ...silentMetrics, gauge: () => ({ set, remove: () => undefined }) }, new FakeClock());
  const [first, second] = [makeSetPod({ name: "web-1" }), makeSetPod({ name: "web-2" })];
  const wait = (waitingFor: WaitingFor, sinceMs = 1) => ({ waitingFor, sinceMs, message: `waits for ${waitingFor}` });
  waits.note(first, wait("kubelet"), false);
  waits.note(first, wait("kubelet", 2), false);
  waits.note(second, wait("kubelet"), false);
  expect(shown.get("kubelet")).toBe(2);
  waits.note(first, wait("agent"), true);
  expect(Object.fromEntries(shown)).toEqual({ kubelet: 1, agent: 1 });
  waits.settle(first);
  waits.settle(first);
  expect(Object.fromEntries(shown)).toEqual({ kubelet: 1, agent: 0 });
});

test("WaitRegister remembers how long it has seen a pod in one wait", async () => {
  const clock = new FakeClock();
  const waits = new WaitRegister(silentMetrics, clock);
  const pod = makeSetPod();
  expect(waits.waited(pod)).toBeUndefined();
  waits.note(pod, { waitingFor: "grace", sinceMs: 7, message: "grace" }, false);
  await clock.advance(1_500);
  waits.note(pod, { waitingFor: "grace", sinceMs: 7, message: "grace" }, false);
  expect(waits.waited(pod)).toEqual({ sinceMs: 7, forMs: 1_500 });
  waits.note(pod, { waitingFor: "grace", sinceMs: 8, message: "another one" }, false);
  expect(waits.waited(pod)).toEqual({ sinceMs: 8, forMs: 0 });
  waits.settle(pod);
  expect(waits.waited(pod)).toBeUndefined();
});
