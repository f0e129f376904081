import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import type { Pod } from "../../../src/api/pod.js";
import { CLONE_SETS, NODES, PODS } from "../../../src/api/resources.js";
import type { StoreChange } from "../../../src/kube/store.js";
import { systemClock } from "../../../src/lib/clock.js";
import type { Random } from "../../../src/lib/random.js";
import { systemRandom } from "../../../src/lib/random.js";
import { startApiServer } from "../../../src/sim/api-server/api-server.js";
import { customKind } from "../../../src/sim/api-server/served-kinds.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

jest.setTimeout(30_000); // machines that run these may be busy

const TIMINGS = { pingAfterMs: 150, pingTimeoutMs: 150, connectTimeoutMs: 500 };

let fixture: KubeFixture;
let baseline: Readonly<Record<string, number>>;

/** Ten times as fast as the real one, so that back-off takes no time. */
const hurriedClock = {
  ...systemClock,
  sleep: (delayMs: number, signal: AbortSignal) => systemClock.sleep(delayMs / 10, signal),
};
const noJitter: Random = { ...systemRandom, next: () => 0 };

beforeEach(async () => {
  baseline = openResources();
  fixture = await startKubeFixture({ timings: TIMINGS, bookmarkPeriodMs: 60 });
});
afterEach(async () => {
  await fixture.stop();
  await expectNothingLeft(baseline);
});

function makePod(name: string): void {
  fixture.server.state.create(PODS, { metadata: { name }, spec: { containers: [] } }, "shop");
}

function pathsOf(start: string): number {
  return fixture.server.requests.filter(({ path }) => path.startsWith(start)).length;
}

const lists = (): number => pathsOf("/api/v1/pods?limit");
const watches = (): number => pathsOf("/api/v1/pods?watch");
const FAST = { clock: hurriedClock, random: noJitter };

describe("createInformer()", () => {
  test("holds what the server holds, and tells handlers after the store changed", async () => {
    makePod("before");
    const informer = fixture.startInformer<Pod>(PODS);
    const told: string[] = [];
    informer.onChange(({ key, before, after }: StoreChange<Pod>) => {
      const type = before === undefined ? "added" : after === undefined ? "deleted" : "changed";
      told.push(`${type} ${key} ${informer.store.get(key) === after ? "in" : "not in"} store`);
    });
    await informer.waitForSync(fixture.signal);
    makePod("after");
    await eventually(() => expect(told.length).toBe(2));
    fixture.server.state.patch(
      PODS,
      { namespace: "shop", name: "after" },
      { contentType: "application/merge-patch+json", body: { metadata: { labels: { a: "1" } } } },
    );
    fixture.server.state.delete(PODS, { namespace: "shop", name: "before" });
    await eventually(() => expect(told.length).toBe(5));
    expect(told).toEqual([
      "added shop/before in store",
      "added shop/after in store",
      "changed shop/after in store",
      "changed shop/before in store", // marked for deletion
      "deleted shop/before in store",
    ]);
  });

  test("drops managedFields and projects, from list, watch and own writes alike", async () => {
    const noisy = (name: string): object => ({
      metadata: { name, managedFields: [{ manager: "x" }] },
      spec: { containers: [], bulk: "x" },
    });
    fixture.server.state.create(PODS, noisy("listed"), "shop");
    const project = ({ metadata, spec }: Pod): Pod => ({ metadata, spec: { containers: spec.containers } });
    const informer = await fixture.informer<Pod>(PODS, { project });
    fixture.server.state.create(PODS, noisy("watched"), "shop");
    const written = await fixture.client.create<Pod>(
      PODS,
      { ...(noisy("written") as Pod), metadata: { name: "written", namespace: "shop" } },
      fixture.signal,
    );
    informer.applyWrite(written);
    expect(informer.store.get("shop/written")).toBeDefined();
    await eventually(() => expect(informer.store.list().length).toBe(3));
    for (const stored of informer.store.list()) {
      expect(Object.keys(stored.metadata)).not.toContain("managedFields");
      expect(Object.keys(stored.spec)).toEqual(["containers"]);
    }
  });

  test("asks for bookmarks and a time limit, and resumes from a bookmark", async () => {
    const informer = await fixture.informer<Pod>(PODS, FAST);
    fixture.server.state.create(NODES, { metadata: { name: "other" } }); // moves the revision on, not our kind
    const revision = String(fixture.server.state.database.revision());
    await systemClock.sleep(150, fixture.signal);
    fixture.server.compact(); // without the bookmark this would mean 410
    fixture.server.endWatches();
    await eventually(() => expect(watches()).toBe(2));
    const paths = fixture.server.requests.map(({ path }) => path).filter((path) => path.includes("watch=true"));
    const query = new URLSearchParams(paths[1]?.split("?")[1]);
    expect(query.get("resourceVersion")).toBe(revision);
    expect(query.get("allowWatchBookmarks")).toBe("true");
    expect(Number(query.get("timeoutSeconds"))).toBeGreaterThanOrEqual(300);
    expect(lists()).toBe(1);
    expect(informer.store.list()).toEqual([]);
    makePod("later");
    await eventually(() => expect(informer.store.get("shop/later")).toBeDefined());
  });

  test("lists again after 410, finds what it missed and tells of it", async () => {
    makePod("stays");
    makePod("goes");
    const informer = await fixture.informer<Pod>(PODS, FAST);
    const told: string[] = [];
    informer.onChange(({ key, after }) => told.push(`${after === undefined ? "deleted" : "put"} ${key}`));
    await eventually(() => expect(watches()).toBe(1));
    fixture.server.faults.add({ path: /watch=true/, times: 1 }, { type: "hang" });
    fixture.server.endWatches();
    await eventually(() => expect(watches()).toBe(2));
    fixture.server.state.delete(PODS, { namespace: "shop", name: "goes" });
    makePod("comes");
    fixture.server.compact();
    fixture.server.cut();
    await eventually(() => expect(informer.store.list().map((object) => object.metadata.name)).toEqual(["stays", "comes"]));
    expect(told).toEqual(["put shop/comes", "deleted shop/goes"]);
    expect(lists()).toBe(2);
  });

  test.each(["HTTP 410", "ERROR event"])("lists again after %s", async (how) => {
    const informer = await fixture.informer<Pod>(PODS, FAST);
    await eventually(() => expect(watches()).toBe(1));
    if (how === "HTTP 410") fixture.server.faults.add({ path: /watch=true/ }, { type: "status", code: 410, reason: "Gone" });
    else {
      makePod("unseen-by-bookmark");
      fixture.server.compact();
      fixture.server.faults.add({ path: /watch=true/ }, { type: "reset" });
      makePod("compacted");
      fixture.server.compact();
    }
    fixture.server.cut();
    await eventually(() => expect(lists()).toBeGreaterThanOrEqual(how === "HTTP 410" ? 2 : 1));
    makePod("new");
    await eventually(() => expect(informer.store.get("shop/new")).toBeDefined());
  });

  test("a half-open watch is noticed in time and resumed without a list", async () => {
    const informer = await fixture.informer<Pod>(PODS, FAST);
    await eventually(() => expect(watches()).toBe(1));
    fixture.server.freeze();
    makePod("unheard");
    const startMs = performance.now();
    await systemClock.sleep(50, fixture.signal);
    fixture.server.thaw();
    await eventually(() => expect(informer.store.get("shop/unheard")).toBeDefined());
    expect(performance.now() - startMs).toBeLessThan(TIMINGS.pingAfterMs + TIMINGS.pingTimeoutMs + 3_000);
    expect(lists()).toBe(1);
  });

  test("GOAWAY in the middle of a watch loses nothing", async () => {
    const informer = await fixture.informer<Pod>(PODS, FAST);
    await eventually(() => expect(watches()).toBe(1));
    fixture.server.goAway();
    makePod("during");
    await eventually(() => expect(informer.store.get("shop/during")).toBeDefined());
    fixture.server.endWatches();
    makePod("between");
    await eventually(() => expect(informer.store.get("shop/between")).toBeDefined());
    expect(lists()).toBe(1);
  });

  test("survives a restart of the server and resumes", async () => {
    const informer = await fixture.informer<Pod>(PODS, FAST);
    await fixture.server.stop();
    fixture.server.state.create(PODS, { metadata: { name: "meanwhile" } }, "shop");
    await eventually(() => expect(informer.lastFailure()).toMatchObject({ kind: "transient" }));
    const again = await startApiServer({ state: fixture.server.state, port: fixture.server.port });
    await eventually(() => expect(informer.store.get("shop/meanwhile")).toBeDefined());
    await eventually(() => expect(again.requests.some(({ path }) => path.includes("watch=true"))).toBe(true));
    await eventually(() => expect(informer.lastFailure()).toBeUndefined());
    await again.stop();
  });

  test("waits for a kind that is not installed and says so once", async () => {
    const warnings: unknown[] = [];
    const logger = {
      ...fixture.logger,
      warn: (message: string, fields: unknown) => void warnings.push([message, fields]),
      child: () => logger,
    };
    fixture.server.state.removeKind(CLONE_SETS);
    const clock = { ...systemClock, sleep: (delayMs: number, signal: AbortSignal) => systemClock.sleep(delayMs / 500, signal) };
    const informer = fixture.startInformer<KubeObject>(CLONE_SETS, { clock, logger });
    await eventually(() => expect(pathsOf("/apis/apps.kruise.io")).toBeGreaterThan(3));
    expect(informer.store.hasSynced()).toBe(false);
    expect(informer.lastFailure()).toMatchObject({ kind: "unsupported" });
    fixture.server.state.addKind(customKind(CLONE_SETS));
    await informer.waitForSync(fixture.signal);
    expect(informer.lastFailure()).toBeUndefined();
    expect(warnings.length).toBe(1);
    expect(warnings[0]).toMatchObject([
      expect.any(String),
      { failure: { code: "KUBE_KIND_MISSING", message: expect.stringContaining("clonesets") } },
    ]);
  });

  test("honours Retry-After on a list that is refused", async () => {
    fixture.server.faults.add({ times: 1 }, { type: "status", code: 429, retryAfterSeconds: 1 });
    const startMs = performance.now();
    await fixture.informer<Pod>(PODS);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
  });

  test("a handler that throws stops neither the cache nor the other handlers", async () => {
    const informer = fixture.startInformer<Pod>(PODS);
    const told: string[] = [];
    informer.onChange(() => {
      throw new Error("a bug");
    });
    informer.onChange(({ key }) => told.push(key));
    makePod("a");
    await eventually(() => expect(told).toEqual(["shop/a"]));
  });
});
