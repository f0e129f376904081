import { FAULTS } from "../faults/catalogue.js";
import type { Fault } from "../faults/fault.js";
import type { Flow } from "../flows/flow.js";

/** One place of a flow where one fault can be put. */
export interface Cell {
  readonly step: string;
  readonly fault: Fault;
}

/** Every step of a flow with every fault that it can meet. */
export function cellsOf({ name, steps, faults: chosen }: Flow): readonly Cell[] {
  const faults = FAULTS.filter((fault) => (fault.flows?.includes(name) ?? true) && (chosen?.includes(fault.name) ?? true));
  return steps.flatMap((step) => faults.map((fault) => ({ step, fault })));
}
