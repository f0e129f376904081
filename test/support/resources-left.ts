import { eventually } from "./eventually.js";

/** What this process holds open now, by type: sockets, servers, timers. */
export function openResources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) {
    if (type !== "Immediate" && type !== "TickObject" && type !== "CloseReq") counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/** Fails if, a moment from now, more is open than was open at `baseline`. */
export async function expectNothingLeft(baseline: Readonly<Record<string, number>>): Promise<void> {
  await eventually(() => {
    const more = Object.entries(openResources()).filter(([type, count]) => type !== "Timeout" && count > (baseline[type] ?? 0));
    // One timer is this poll's own.
    const timers = (openResources()["Timeout"] ?? 0) - (baseline["Timeout"] ?? 0);
    if (more.length > 0 || timers > 0) throw new Error(`left open: ${JSON.stringify({ more, timers })}`);
  });
}
