import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decideScale } from "../../../../src/core/clone-set/decide-scale.js";
import { decideUpdates } from "../../../../src/core/clone-set/decide-updates.js";
import type { Limits } from "../../../../src/core/clone-set/limits.js";
import type { ObservedPod } from "../../../../src/core/clone-set/observed-pod.js";
import { observed } from "../../../support/clone-set.js";

/** One pod of the model: what our decisions did to it and how it feels. */
interface ModelPod {
  readonly name: string;
  updated: boolean;
  marked: boolean;
  available: boolean;
}

interface World {
  readonly limits: Limits;
  readonly inPlace: boolean;
  pods: ModelPod[];
  made: number;
}

const worlds = fc
  .record({
    replicas: fc.integer({ min: 0, max: 8 }),
    partition: fc.integer({ min: 0, max: 8 }),
    maxUnavailable: fc.integer({ min: 1, max: 8 }),
    inPlace: fc.boolean(),
    pods: fc.array(fc.record({ updated: fc.boolean(), marked: fc.boolean(), available: fc.boolean() }), { maxLength: 10 }),
  })
  .map(
    ({ replicas, partition, maxUnavailable, inPlace, pods }): World => ({
      limits: { replicas, partition: Math.min(partition, replicas), maxUnavailable },
      inPlace,
      pods: pods.map((pod, index) => ({ ...pod, name: `first-${index}` })),
      made: 0,
    }),
  );

const availableCount = (world: World): number => world.pods.filter((pod) => pod.available).length;
const updatedCount = (world: World): number => world.pods.filter((pod) => pod.updated).length;

function view(world: World): readonly ObservedPod[] {
  return world.pods.map(({ name, updated, marked, available }) =>
    observed(name, { isUpdated: updated, isToDelete: marked, isAvailable: available, isReady: available }),
  );
}

/** One pass of the reconciler; true if it did anything. */
function pass(world: World): boolean {
  const floor = Math.min(availableCount(world), world.limits.replicas - world.limits.maxUnavailable);
  const scale = decideScale(view(world), world.limits);
  const created = scale.createCurrent + scale.createUpdated;
  expect(created > 0 && scale.remove.some((pod) => !pod.isToDelete)).toBe(false);
  const removed = new Set(scale.remove.map(({ pod }) => pod.metadata.name));
  const before = world.pods.length;
  world.pods = world.pods.filter((pod) => !removed.has(pod.name));
  for (let n = 0; n < created; n++) {
    world.pods.push({ name: `made-${world.made++}`, updated: n >= scale.createCurrent, marked: false, available: false });
  }
  expect(before + created).toBeLessThanOrEqual(Math.max(before, world.limits.replicas));
  if (created === 0 && removed.size === 0 && !update(world)) return false;
  expect(availableCount(world)).toBeGreaterThanOrEqual(floor);
  return true;
}

function update(world: World): boolean {
  const chosen = new Set(decideUpdates(view(world), world.limits).map(({ pod }) => pod.metadata.name));
  const updatedBefore = updatedCount(world);
  for (const pod of world.pods.filter(({ name }) => chosen.has(name))) {
    if (!world.inPlace) pod.marked = true;
    else Object.assign(pod, { updated: true, available: false });
  }
  const { replicas, partition } = world.limits;
  expect(updatedCount(world)).toBeLessThanOrEqual(Math.max(updatedBefore, replicas - partition));
  return chosen.size > 0;
}

describe("scaling and updating together", () => {
  test("never take availability below the limit, whatever becomes ready or sick in between", () => {
    fc.assert(
      fc.property(worlds, fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 40 }), (world, changes) => {
        for (const [which, available] of changes) {
          const pod = world.pods[which % Math.max(world.pods.length, 1)];
          if (pod !== undefined) pod.available = available;
          pass(world);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("converge to the right number of pods at the right revisions, and then stand still", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        let passes = 0;
        for (let quiet = false; !quiet; passes++) {
          expect(passes).toBeLessThan(100);
          for (const pod of world.pods) pod.available = true;
          quiet = !pass(world);
        }
        const { replicas, partition } = world.limits;
        expect(world.pods).toHaveLength(replicas);
        expect(world.pods.some((pod) => pod.marked)).toBe(false);
        // What is at the new revision already is never taken back; else exactly the partition stays behind.
        expect(replicas - updatedCount(world)).toBeLessThanOrEqual(partition);
      }),
      { numRuns: 500 },
    );
  });
});
