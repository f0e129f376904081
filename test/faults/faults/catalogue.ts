import type { Fault } from "./fault.js";
import { NODE_FAULTS } from "./node-faults.js";
import { PROCESS_FAULTS } from "./process-faults.js";
import { SERVER_FAULTS } from "./server-faults.js";
import { USER_FAULTS } from "./user-faults.js";

/** Every fault there is. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...SERVER_FAULTS, ...NODE_FAULTS, ...USER_FAULTS];

/** @throws for a name that no fault has */
export function faultOf(name: string): Fault {
  const fault = FAULTS.find((candidate) => candidate.name === name);
  if (fault === undefined) throw new Error(`Cannot run the plan: there is no fault "${name}"`);
  return fault;
}
