import { describe, expect, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import { PODS } from "../../../src/api/resources.js";
import type { KubeClient, ListResult, WatchEvent, WatchOptions } from "../../../src/kube/client.js";
import { createInformer } from "../../../src/kube/reflector.js";
import { OperationError, type FailureKind } from "../../../src/lib/failure.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { FakeClock } from "../../support/fake-clock.js";

/** What one list or watch is answered with. A watch lasts `lastsMs`, then ends well or with a failure. */
type Answer =
  | { readonly list: ListResult<KubeObject> | Error }
  | { readonly lastsMs: number; readonly events?: readonly WatchEvent<KubeObject>[]; readonly failure?: Error };

interface Asked {
  readonly atMs: number;
  readonly what: string;
}

/** An informer whose server follows a script; after the script, watches last for ever. */
function startWith(answers: readonly Answer[]) {
  const clock = new FakeClock();
  const asked: Asked[] = [];
  const script = [...answers];
  const next = (): Answer => script.shift() ?? { lastsMs: 1e9 };
  const client = {
    list: async () => {
      asked.push({ atMs: clock.monotonicMs(), what: "list" });
      const answer = next();
      if (!("list" in answer)) throw new Error("the script has no list here");
      if (answer.list instanceof Error) throw answer.list;
      return answer.list;
    },
    watch: (_resource: unknown, { resourceVersion }: WatchOptions, signal: AbortSignal) =>
      (async function* (): AsyncGenerator<WatchEvent<KubeObject>> {
        asked.push({ atMs: clock.monotonicMs(), what: `watch ${resourceVersion}` });
        const answer = next();
        if ("list" in answer) throw new Error("the script has no watch here");
        yield* answer.events ?? [];
        await clock.sleep(answer.lastsMs, signal);
        if (answer.failure !== undefined) throw answer.failure;
      })(),
  } as unknown as KubeClient;
  const random = { next: () => 0, hex: () => "" };
  const informer = createInformer<KubeObject>({ resource: PODS, client, clock, random, logger: silentLogger, metrics: silentMetrics });
  const stop = new AbortController();
  const ended = informer.run(stop.signal).catch((error: unknown) => error);
  return { clock, asked, informer, stop, ended };
}

function listed(resourceVersion: string, ...names: readonly string[]): Answer {
  return { list: { resourceVersion, items: names.map((name) => ({ metadata: { name, resourceVersion: "1" } })) } };
}

const fails = (kind: FailureKind, code = "KUBE_TEST", retryAfterMs?: number): OperationError =>
  new OperationError(kind, code, "it fails", retryAfterMs === undefined ? {} : { retryAfterMs });

describe("createInformer() waits", () => {
  test("0.8 s after a failure, doubling to 10 s, and from the start again after a healthy minute", async () => {
    const broken = { lastsMs: 0, failure: fails("transient") };
    const { clock, asked } = startWith([
      listed("5"),
      ...[1, 2, 3, 4, 5, 6].map(() => broken),
      { lastsMs: 60_000, failure: fails("transient") },
      { lastsMs: 1e9 },
    ]);
    await clock.advance(200_000);
    expect(asked.slice(1).map(({ atMs }) => atMs)).toEqual([0, 800, 2_400, 5_600, 12_000, 22_000, 32_000, 92_800]);
    expect(new Set(asked.slice(1).map(({ what }) => what))).toEqual(new Set(["watch 5"]));
  });

  test("not at all after a watch that ended in good order after a minute, but after one that ended at once", async () => {
    const { clock, asked } = startWith([listed("5"), { lastsMs: 300_000 }, { lastsMs: 0 }, { lastsMs: 1e9 }]);
    await clock.advance(400_000);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 0, 300_000, 300_800]);
  });

  test("as long as Retry-After says", async () => {
    const { clock, asked } = startWith([{ list: fails("transient", "KUBE_TOO_MANY_REQUESTS", 30_000) }, listed("5")]);
    await clock.advance(30_000);
    expect(asked.map(({ atMs, what }) => `${atMs} ${what}`)).toEqual(["0 list", "30000 list", "30000 watch 5"]);
  });

  test.each(["unsupported", "denied"] as const)("10 s when the kind is %s", async (kind) => {
    const { clock, asked } = startWith([{ list: fails(kind) }, { list: fails(kind) }, listed("5")]);
    await clock.advance(20_000);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 10_000, 20_000, 20_000]);
  });

  test("not before it lists again after 410, unless that comes again at once", async () => {
    const gone = { lastsMs: 0, failure: fails("transient", "KUBE_GONE") };
    const { clock, asked } = startWith([listed("5"), gone, listed("7"), gone, listed("9"), { lastsMs: 1e9 }]);
    await clock.advance(10_000);
    expect(asked.map(({ atMs, what }) => `${atMs} ${what}`)).toEqual([
      "0 list",
      "0 watch 5",
      "0 list",
      "0 watch 7",
      "1600 list",
      "1600 watch 9",
    ]);
  });
});

describe("createInformer() says whether it hears of changes", () => {
  test("no longer after a failure, and again once it watches, or lists after 410", async () => {
    const gone = { lastsMs: 0, failure: fails("transient", "KUBE_GONE") };
    const broken = { lastsMs: 1_000, failure: fails("transient") };
    const { clock, informer } = startWith([listed("5"), broken, gone, listed("9")]);
    const heard: boolean[] = [informer.isFollowing()];
    for (const untilMs of [999, 1_001, 1_799, 1_801, 3_399, 3_401]) {
      await clock.advance(untilMs - clock.monotonicMs());
      heard.push(informer.isFollowing());
    }
    expect(heard).toEqual([false, true, false, false, false, false, true]);
  });
});

describe("createInformer() and its place", () => {
  test("resumes from the last event or bookmark", async () => {
    const object = { metadata: { name: "a", resourceVersion: "8" } };
    const bookmark = { metadata: { name: "", resourceVersion: "12" } };
    const { clock, asked } = startWith([
      listed("5"),
      { lastsMs: 0, events: [{ type: "ADDED", object }] },
      { lastsMs: 0, events: [{ type: "BOOKMARK", object: bookmark }] },
      { lastsMs: 1e9 },
    ]);
    await clock.advance(10_000);
    expect(asked.map(({ what }) => what)).toEqual(["list", "watch 5", "watch 8", "watch 12"]);
  });

  test("lists again when an event makes no sense, since it would come again from the same place", async () => {
    const { clock, asked } = startWith([listed("5"), { lastsMs: 0, failure: fails("transient", "KUBE_BAD_REPLY") }, listed("9")]);
    await clock.advance(1_000);
    expect(asked.map(({ atMs, what }) => `${atMs} ${what}`)).toEqual(["0 list", "0 watch 5", "800 list", "800 watch 9"]);
  });

  test("does not believe a list that is older than what it saw, until the server insists", async () => {
    const gone = { lastsMs: 0, failure: fails("transient", "KUBE_GONE") };
    const { clock, informer } = startWith([
      listed("1000", "new"),
      gone,
      ...[1, 2, 3, 4, 5].map(() => listed("10", "old")),
      { lastsMs: 1e9 },
    ]);
    const names = (): readonly string[] => informer.store.list().map(({ metadata }) => metadata.name);
    await clock.advance(100);
    expect(names()).toEqual(["new"]);
    expect(informer.lastFailure()).toMatchObject({ code: "KUBE_OLD_LIST" });
    await clock.advance(60_000);
    expect(names()).toEqual(["old"]);
    expect(informer.lastFailure()).toBeUndefined();
  });

  test("ends when asked, and only then", async () => {
    const { clock, stop, ended } = startWith([{ list: new TypeError("a bug") }, listed("5")]);
    await clock.advance(5_000);
    const reason = new Error("shutdown");
    stop.abort(reason);
    expect(await ended).toBe(reason);
  });

  test("waitForSync() resolves after the first list, for late callers too, and rejects on abort", async () => {
    const { clock, informer } = startWith([{ list: fails("transient") }, listed("5")]);
    const never = new AbortController();
    let hasSynced = false;
    const waiting = informer.waitForSync(never.signal).then(() => {
      hasSynced = true;
    });
    await clock.advance(799);
    expect(hasSynced).toBe(false);
    await clock.advance(1);
    await waiting;
    await informer.waitForSync(never.signal);
    const late = startWith([{ list: fails("transient") }]);
    const rejected = late.informer.waitForSync(never.signal);
    never.abort(new Error("no"));
    await expect(rejected).rejects.toThrow("no");
    late.stop.abort(new Error("done"));
  });
});
