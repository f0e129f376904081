import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { EVENTS } from "../../../src/api/resources.js";
import { createEventRecorder, type EventFact, type EventRecorder, recorderFor } from "../../../src/kube/event-recorder.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

jest.setTimeout(30_000); // machines that run these may be busy

let fixture: KubeFixture;
let recorder: EventRecorder;
let baseline: Readonly<Record<string, number>>;

beforeEach(async () => {
  baseline = openResources();
  fixture = await startKubeFixture();
  const background = createEventRecorder({
    client: fixture.client,
    component: "podmend-test",
    instance: "pod-1",
    host: "node1",
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    metrics: silentMetrics,
  });
  fixture.start(background);
  recorder = background;
});
afterEach(async () => {
  await fixture.stop();
  await expectNothingLeft(baseline);
});

const web = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web-0", uid: "u1" };

function fact(change: Partial<EventFact> = {}): EventFact {
  return { regarding: web, type: "Normal", reason: "Updated", message: "all well", ...change };
}

function events(): readonly StoredObject[] {
  return fixture.server.state.list(EVENTS);
}

describe("createEventRecorder()", () => {
  test("writes a fact as an Event beside the object it is about", async () => {
    recorder.record(fact());
    await eventually(() => expect(events().length).toBe(1));
    expect(events()[0]).toMatchObject({
      metadata: { name: expect.stringMatching(/^web-0\.[0-9a-f]{16}$/), namespace: "shop" },
      involvedObject: web,
      type: "Normal",
      reason: "Updated",
      message: "all well",
      count: 1,
      firstTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      source: { component: "podmend-test", host: "node1" },
      reportingComponent: "podmend-test",
      reportingInstance: "pod-1",
    });
  });

  test("counts equal facts on one Event, and keeps different ones apart", async () => {
    for (let count = 0; count < 3; count++) recorder.record(fact());
    recorder.record(fact({ message: "other" }));
    recorder.record(fact({ type: "Warning" }));
    await eventually(() => expect(events().map((event) => event["count"])).toEqual(expect.arrayContaining([3, 1, 1])));
    recorder.record(fact());
    await eventually(() => expect(events().map((event) => event["count"])).toEqual(expect.arrayContaining([4, 1, 1])));
    expect(events().length).toBe(3);
  });

  test("speaks for a component, and puts events of cluster-scoped objects into namespace default", async () => {
    const node = { apiVersion: "v1", kind: "Node", name: "node1", uid: "u3" };
    recorderFor(recorder, "cloneset-controller").record(fact({ regarding: node }));
    await eventually(() => expect(events().length).toBe(1));
    expect(events()[0]).toMatchObject({
      metadata: { namespace: "default" },
      source: { component: "cloneset-controller" },
      reportingComponent: "cloneset-controller",
    });
  });

  test("starts a new Event when the server has deleted the old one", async () => {
    recorder.record(fact());
    await eventually(() => expect(events().length).toBe(1));
    const [first] = events();
    fixture.server.state.delete(EVENTS, { namespace: "shop", name: first?.metadata.name ?? "" });
    recorder.record(fact());
    await eventually(() => expect(events()[0]).toMatchObject({ count: 1 }));
    expect(events()[0]?.metadata.name).not.toBe(first?.metadata.name);
  });

  test("limits the events about one object, not those about others", async () => {
    for (let count = 0; count < 60; count++) recorder.record(fact({ message: `m${count}` }));
    recorder.record(fact({ regarding: { ...web, name: "web-1", uid: "u2" } }));
    await eventually(() => expect(events().length).toBe(25 + 1));
    await systemClock.sleep(100, fixture.signal);
    expect(events().length).toBe(25 + 1);
  });

  test("writes one Event when the answer to its first try is lost, and goes on counting on it", async () => {
    fixture.server.faults.add({ method: "POST" }, { type: "cutAfterReply" });
    recorder.record(fact());
    recorder.record(fact());
    await eventually(() => expect(events().map((event) => event["count"])).toEqual([2]));
    recorder.record(fact());
    await eventually(() => expect(events().map((event) => event["count"])).toEqual([3]));
  });

  test("tries again what failed for the moment, and drops what is refused", async () => {
    fixture.server.faults.add({ method: "POST" }, { type: "status", code: 403, reason: "Forbidden" });
    recorder.record(fact({ message: "refused" }));
    fixture.server.faults.add({ method: "POST" }, { type: "status", code: 500 });
    recorder.record(fact({ message: "later" }));
    await eventually(() => expect(events().map((event) => event["message"])).toEqual(["later"]));
  });
});
