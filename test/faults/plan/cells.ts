import { faultOf, FAULTS } from "../faults/catalogue.js";
import type { Fault } from "../faults/fault.js";
import type { Flow } from "../flows/flow.js";

/** One place of a flow where one fault can be put. */
export interface Cell {
  readonly step: string;
  readonly fault: Fault;
}

/** Every step of a flow with every fault that it can meet. @throws for a flow that chooses a fault that there is not */
export function cellsOf({ name, steps, faults: chosen }: Flow): readonly Cell[] {
  const faults = (chosen?.map(faultOf) ?? FAULTS).filter(({ flows }) => flows?.includes(name) ?? true);
  return steps.flatMap((step) => faults.map((fault) => ({ step, fault })));
}
