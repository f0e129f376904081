import { parentPort } from "node:worker_threads";
import { lineOf } from "../journal.js";
import { rareStates } from "../rare-states.js";
import type { Order, Summary } from "./messages.js";
import { runPlan } from "./run-plan.js";
import { closeSandbox, pendingOutside, settle } from "./sandbox.js";

/** Runs plans, one at a time, in a thread without time, randomness, files and sockets of its own. */
const port = parentPort;
if (port === null) throw new Error("Cannot run: this is a worker of the fault runner, start it by npm run faults");
closeSandbox();
port.on("message", (order: Order) => {
  summarize(order).then(
    (summary) => port.postMessage(summary),
    (failure: unknown) =>
      port.postMessage({ id: order.id, plan: order.plan, failure: failure instanceof Error ? failure.stack : String(failure) }),
  );
});

async function summarize({ id, plan, wantsJournal }: Order): Promise<Summary> {
  const { entries, violations, ...outcome } = await runPlan(plan, settle);
  const pending = pendingOutside().map((name) => ({ invariant: "nothing-outside-virtual-time", atMs: 0, message: name }));
  return {
    id,
    ...outcome,
    violations: [...violations, ...pending],
    rareStates: rareStates(entries),
    ...(wantsJournal ? { lines: entries.map(lineOf) } : {}),
  };
}
