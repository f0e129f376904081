import type { Plan, Shape } from "./plan.js";

/** Says whether a plan still shows what is being looked for. */
export type StillFails = (plan: Plan) => Promise<boolean>;

/** A plan as small as can be that still fails in the same way: delta debugging over its faults, then over its shape and their parameters. */
export async function shrink(plan: Plan, stillFails: StillFails): Promise<Plan> {
  let smallest = plan;
  for (;;) {
    const smaller = await firstThatFails(smallerPlans(smallest), stillFails);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstThatFails(plans: Iterable<Plan>, stillFails: StillFails): Promise<Plan | undefined> {
  for (const plan of plans) if (await stillFails(plan)) return plan;
  return undefined;
}

function* smallerPlans(plan: Plan): Generator<Plan> {
  const { faults, shape } = plan;
  const half = Math.ceil(faults.length / 2);
  if (faults.length > 1) {
    yield { ...plan, faults: faults.slice(0, half) };
    yield { ...plan, faults: faults.slice(half) };
  }
  for (const index of faults.keys()) yield { ...plan, faults: faults.filter((_fault, other) => other !== index) };
  for (const smaller of smallerShapes(shape)) yield { ...plan, shape: smaller };
  for (const [index, fault] of faults.entries()) {
    const simpler = [
      ...(fault.afterMs > 0 ? [{ ...fault, afterMs: 0 }] : []),
      ...(fault.nth > 1 ? [{ ...fault, nth: 1 }] : []),
      ...(fault.strength > 0.01 ? [{ ...fault, strength: Math.round(fault.strength * 500) / 1000 }] : []),
    ];
    for (const changed of simpler) yield { ...plan, faults: faults.with(index, changed) };
  }
}

function* smallerShapes(shape: Shape): Generator<Shape> {
  if (shape.nodeCount > 1) yield { ...shape, nodeCount: shape.nodeCount - 1 };
  if (shape.podCount > 1)
    yield { ...shape, podCount: shape.podCount - 1, maxUnavailable: Math.min(shape.maxUnavailable, shape.podCount - 1) };
  if (shape.graceSeconds > 0) yield { ...shape, graceSeconds: 0 };
  if (shape.nodeDistanceMs > 0) yield { ...shape, nodeDistanceMs: 0 };
  if (shape.isSeasoned) yield { ...shape, isSeasoned: false };
  if (shape.hasSkewedClocks) yield { ...shape, hasSkewedClocks: false };
  if (shape.hasPreStop) yield { ...shape, hasPreStop: false };
}
