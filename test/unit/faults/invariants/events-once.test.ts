import { describe, expect, test } from "@jest/globals";
import { eventsOnce } from "../../../faults/invariants/events-once.js";
import type { Entry } from "../../../faults/journal.js";
import { broken, CONTROLLER, named, step, stored } from "./journals.js";

function recorded(atMs: number, message: string, actor = CONTROLLER): readonly Entry[] {
  const event = named(`web.${String(atMs)}`, { involvedObject: { uid: "web-uid" }, reason: "Started", message });
  return [stored(atMs, "events", event, "ADDED"), step(atMs, "applied", actor, "record-event", "POST /api/v1/namespaces/shop/events")];
}

describe("events-once", () => {
  test("lets other facts be recorded, and the same by another life", () => {
    expect(broken(eventsOnce, [...recorded(1, "a"), ...recorded(2, "b"), ...recorded(3, "a", "controller-1#2")])).toEqual([]);
  });

  test("finds a fact that one life records as two events", () => {
    expect(broken(eventsOnce, [...recorded(1, "a"), ...recorded(2, "a")])).toEqual(["events-once"]);
  });
});
