import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { LEASES } from "../../../src/api/resources.js";
import type { Lease } from "../../../src/kube/lease-record.js";
import { createLeaderElector, LeaseLost, type LeaderElector } from "../../../src/kube/leader-election.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

/** Long enough for a busy machine, with a retry that is short. */
const TIMINGS = { leaseMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 60 };
const SHORT = { leaseMs: 1_000, renewDeadlineMs: 500, retryPeriodMs: 60 };

jest.setTimeout(30_000);
const LEASE = { namespace: "podmend-system", name: "podmend-controller" };

let fixture: KubeFixture;
let baseline: Readonly<Record<string, number>>;

beforeEach(async () => {
  baseline = openResources();
  fixture = await startKubeFixture();
});
const contenders: Contender[] = [];

afterEach(async () => {
  for (const contender of contenders) contender.stop.abort(new Error("the test has ended"));
  await Promise.all(contenders.splice(0).map((contender) => contender.ended));
  await fixture.stop();
  await expectNothingLeft(baseline);
});

interface Contender {
  readonly elector: LeaderElector;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  /** How many of this contender's terms are going on. */
  leading(): number;
}

function contend(identity: string, timings = TIMINGS): Contender {
  const stop = new AbortController();
  let leading = 0;
  const elector = createLeaderElector({
    client: fixture.client,
    lease: LEASE,
    identity,
    timings,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    metrics: silentMetrics,
  });
  const lead = async (signal: AbortSignal): Promise<void> => {
    leading++;
    await systemClock.sleep(3_600_000, signal).finally(() => leading--);
  };
  const ended = elector.run(lead, stop.signal).then(undefined, (error: unknown) => error);
  const contender = { elector, stop, ended, leading: () => leading };
  contenders.push(contender);
  return contender;
}

function spec(): Lease["spec"] {
  return (fixture.server.state.get(LEASES, LEASE) as unknown as Lease).spec;
}

describe("createLeaderElector()", () => {
  test("one of two leads; when it stops it gives the lease back and the other follows at once", async () => {
    const [a, b] = [contend("a"), contend("b")];
    await eventually(() => expect(a.leading() + b.leading()).toBe(1));
    await systemClock.sleep(300, fixture.signal);
    expect(a.leading() + b.leading()).toBe(1);
    const [first, second] = a.elector.isLeader() ? [a, b] : [b, a];
    const reason = new Error("shutdown");
    const startMs = performance.now();
    first.stop.abort(reason);
    expect(await first.ended).toBe(reason);
    expect(first.elector.isLeader()).toBe(false);
    await eventually(() => expect(second.leading()).toBe(1));
    expect(performance.now() - startMs).toBeLessThan(TIMINGS.leaseMs - 1_000);
    expect(spec()?.leaseTransitions).toBe(1);
    second.stop.abort(reason);
    await second.ended;
    expect(spec()).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  });

  test("gives the lease back although the abort cut a renewal that the server then carried out", async () => {
    const a = contend("a");
    await eventually(() => expect(a.leading()).toBe(1));
    fixture.server.faults.add({ method: "PUT", path: /leases/ }, { type: "cutAfterReply" });
    const before = spec()?.renewTime;
    await eventually(() => expect(spec()?.renewTime).not.toBe(before), 5_000, 1);
    a.stop.abort(new Error("shutdown"));
    await a.ended;
    expect(spec()?.holderIdentity).toBe("");
  });

  test("writes times with six digits of a second, as the API demands", async () => {
    const a = contend("a");
    await eventually(() => expect(spec()?.holderIdentity).toBe("a"));
    const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
    expect(spec()).toMatchObject({ acquireTime: expect.stringMatching(microTime), renewTime: expect.stringMatching(microTime) });
    a.stop.abort(new Error("done"));
    await a.ended;
  });

  test("a leader that cannot renew steps down before another one may lead, and says so", async () => {
    const a = contend("a", SHORT);
    await eventually(() => expect(a.leading()).toBe(1));
    fixture.server.faults.add({ method: "PUT", path: /leases/, times: 1_000 }, { type: "status", code: 500 });
    const lost = await a.ended;
    expect(lost).toBeInstanceOf(LeaseLost);
    expect((lost as Error).message).toContain('lease "podmend-controller": not renewed for 500 ms');
    expect(a.leading()).toBe(0);
    expect(a.elector.isLeader()).toBe(false);
  });

  test("a leader whose renewal gets no answer steps down in time, and does not wait for the answer", async () => {
    const timings = { leaseMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 1_500 };
    const a = contend("a", timings);
    await eventually(() => expect(a.leading()).toBe(1));
    const startMs = performance.now();
    fixture.server.faults.add({ path: /leases/, times: 1_000 }, { type: "hang" });
    expect(await a.ended).toMatchObject({ name: "LeaseLost", message: expect.stringContaining("not renewed for 2000 ms") });
    expect(performance.now() - startMs).toBeLessThan(timings.leaseMs - 300);
  });

  test("an API server that does not answer is an outage, not a bug", async () => {
    fixture.server.faults.add({ path: /leases/, times: 1_000 }, { type: "hang" });
    const a = contend("a", SHORT);
    const message = 'Cannot claim Lease "podmend-controller": no answer in 500 ms';
    await eventually(() => expect(a.elector.lastFailure()).toMatchObject({ kind: "transient", code: "KUBE_DEADLINE", message }));
  });

  test("a lease that nobody renews is taken after its duration as this process saw it, whatever its times say", async () => {
    const future = "2999-01-01T00:00:00.000000Z";
    const held = { holderIdentity: "dead", leaseDurationSeconds: 1, renewTime: future, acquireTime: future, leaseTransitions: 4 };
    fixture.server.state.create(LEASES, { metadata: { name: LEASE.name }, spec: held }, LEASE.namespace);
    const startMs = performance.now();
    const a = contend("a");
    await eventually(() => expect(a.leading()).toBe(1));
    expect(performance.now() - startMs).toBeGreaterThan(950);
    expect(spec()).toMatchObject({ holderIdentity: "a", leaseTransitions: 5 });
    a.stop.abort(new Error("done"));
    await a.ended;
  });

  test("a lease that somebody else took ends the term at once, and is not given back for him", async () => {
    const a = contend("a");
    await eventually(() => expect(a.leading()).toBe(1));
    const body = { spec: { holderIdentity: "thief" } };
    fixture.server.state.patch(LEASES, LEASE, { contentType: "application/merge-patch+json", body });
    expect(await a.ended).toMatchObject({ name: "LeaseLost", message: expect.stringContaining('"thief" holds it now') });
    expect(spec()?.holderIdentity).toBe("thief");
  });

  test("a deleted lease is made again by its leader", async () => {
    const a = contend("a");
    await eventually(() => expect(a.leading()).toBe(1));
    fixture.server.state.delete(LEASES, LEASE);
    await eventually(() => expect(spec()?.holderIdentity).toBe("a"));
    expect(a.leading()).toBe(1);
    a.stop.abort(new Error("done"));
    await a.ended;
  });

  test("work that breaks ends the term with its failure, and gives the lease back", async () => {
    const elector = createLeaderElector({
      client: fixture.client,
      lease: LEASE,
      identity: "a",
      timings: TIMINGS,
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      metrics: silentMetrics,
    });
    const broken = elector.run(() => Promise.reject(new Error("broken work")), fixture.signal);
    await expect(broken).rejects.toThrow("broken work");
    expect(spec()?.holderIdentity).toBe("");
  });
});
