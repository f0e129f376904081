import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { KubeObject } from "../../../src/api/meta.js";
import { ObjectStore } from "../../../src/kube/object-store.js";
import type { StoreChange } from "../../../src/kube/store.js";

function object(name: string, version: number, options: { uid?: string; color?: string } = {}): KubeObject {
  const { uid = `uid-${name}`, color } = options;
  return { metadata: { name, uid, resourceVersion: String(version), ...(color === undefined ? {} : { labels: { color } }) } };
}

function said(changes: readonly StoreChange<KubeObject>[]): readonly string[] {
  const version = (state: KubeObject | undefined): string => state?.metadata.resourceVersion ?? "-";
  return changes.map(({ key, before, after }) => `${key} ${version(before)}>${version(after)}`);
}

function storeWith(listVersion: number, ...objects: readonly KubeObject[]): ObjectStore<KubeObject> {
  const store = new ObjectStore<KubeObject>();
  store.applyList(objects, String(listVersion));
  return store;
}

describe("ObjectStore read-your-writes", () => {
  test("a write is there at once and an older event does not undo it", () => {
    const store = storeWith(10, object("a", 5));
    expect(said(store.applyWrite(object("a", 20)))).toEqual(["a 5>20"]);
    expect(said(store.applyEvent(object("a", 15)))).toEqual([]);
    expect(said(store.applyEvent(object("a", 20)))).toEqual([]);
    expect(said(store.applyEvent(object("a", 21)))).toEqual(["a 20>21"]);
  });

  test("an older deletion does not undo a newer write of the same name", () => {
    const store = storeWith(10, object("a", 5));
    store.applyWrite(object("a", 20, { uid: "second" }));
    expect(said(store.applyDeletion(object("a", 12)))).toEqual([]);
    expect(store.get("a")?.metadata.uid).toBe("second");
  });

  test("an object that left the selector and came back by a write of ours stays", () => {
    const store = storeWith(10, object("a", 5));
    store.applyWrite(object("a", 20));
    expect(said(store.applyDeletion(object("a", 15)))).toEqual([]); // left at 15, as the watch tells late
    expect(said(store.applyDeletion(object("a", 20)))).toEqual(["a 20>-"]);
  });

  test("the late answer of a write does not bring back what was deleted since", () => {
    const store = storeWith(10, object("a", 5));
    expect(said(store.applyDeletion(object("a", 30)))).toEqual(["a 5>-"]);
    expect(said(store.applyWrite(object("a", 20)))).toEqual([]);
    expect(said(store.applyEvent(object("a", 29)))).toEqual([]);
    expect(said(store.applyEvent(object("a", 31, { uid: "second" })))).toEqual(["a ->31"]);
  });

  test("an object that an answer called gone stays gone, whatever the watch still tells of it, and its name is free", () => {
    const store = storeWith(10, object("a", 5), object("b", 6));
    expect(said(store.applyMissing(object("a", 5)))).toEqual(["a 5>-"]);
    expect(said(store.applyMissing(object("b", 6, { uid: "another" })))).toEqual([]);
    expect(said(store.applyEvent(object("a", 15)))).toEqual([]); // on its way since before
    expect(said(store.applyList([object("a", 15), object("b", 6)], "16"))).toEqual([]); // of a server that is behind
    expect(said(store.applyEvent(object("a", 17, { uid: "second" })))).toEqual(["a ->17"]);
    expect(said(store.applyDeletion(object("a", 16)))).toEqual([]);
    expect(said(store.applyEvent(object("a", 40)))).toEqual(["a 17>-", "a ->40"]); // nothing is remembered once its end was told
  });

  test("a bookmark also says what was deleted", () => {
    const store = storeWith(10);
    store.advance("50");
    expect(said(store.applyWrite(object("a", 49)))).toEqual([]);
    expect(said(store.applyWrite(object("a", 51)))).toEqual(["a ->51"]);
  });

  test("a list keeps newer writes and drops what it does not know any more", () => {
    const store = storeWith(10, object("a", 1), object("b", 2), object("c", 3));
    store.applyWrite(object("a", 40));
    store.applyWrite(object("new", 41));
    expect(said(store.applyList([object("a", 20), object("b", 21)], "30"))).toEqual(["b 2>21", "c 3>-"]);
    expect(store.get("a")?.metadata.resourceVersion).toBe("40");
    expect(store.get("new")).toBeDefined();
  });

  test("a name that another object took is deleted and added", () => {
    const store = storeWith(10, object("a", 5));
    expect(said(store.applyEvent(object("a", 15, { uid: "second" })))).toEqual(["a 5>-", "a ->15"]);
  });

  test("a deletion of another uid leaves the object alone", () => {
    const store = storeWith(10, object("a", 5));
    expect(said(store.applyDeletion(object("a", 15, { uid: "older" })))).toEqual([]);
    expect(store.get("a")).toBeDefined();
  });

  test("reset() believes a list that is older than what was seen", () => {
    const store = storeWith(1_000, object("a", 900), object("b", 901));
    expect(said(store.reset([object("a", 5)], "10"))).toEqual(["a 900>-", "b 901>-", "a ->5"]);
    expect(store.seenResourceVersion()).toBe("10");
    expect(said(store.applyEvent(object("a", 11)))).toEqual(["a 5>11"]);
  });

  test("has synced after the first list, not after a write", () => {
    const store = new ObjectStore<KubeObject>();
    store.applyWrite(object("a", 1));
    expect(store.hasSynced()).toBe(false);
    store.applyList([], "2");
    expect(store.hasSynced()).toBe(true);
    expect(store.list()).toEqual([]);
  });
});

describe("ObjectStore.byIndex()", () => {
  const byColor = { color: ({ metadata }: KubeObject) => (metadata.labels?.["color"] === undefined ? [] : [metadata.labels["color"]]) };

  test("follows changes and deletions", () => {
    const store = new ObjectStore<KubeObject>(byColor);
    store.applyList([object("a", 1, { color: "red" }), object("b", 2, { color: "red" }), object("c", 3)], "10");
    const red = (): readonly string[] => store.byIndex("color", "red").map(({ metadata }) => metadata.name);
    expect(red()).toEqual(["a", "b"]);
    store.applyEvent(object("a", 11, { color: "blue" }));
    expect(red()).toEqual(["b"]);
    store.applyDeletion(object("b", 12, { color: "red" }));
    expect(red()).toEqual([]);
    expect(store.byIndex("color", "blue").length).toBe(1);
  });

  test("throws for an index that nobody declared", () => {
    expect(() => new ObjectStore<KubeObject>().byIndex("color", "red")).toThrow('Cannot read index "color": it was not declared');
  });
});

/** A server's history of three names: each step writes or deletes one. */
interface Step {
  readonly name: string;
  readonly deletes: boolean;
  readonly color: string;
}

interface Happened {
  readonly type: "put" | "delete";
  readonly object: KubeObject;
}

function historyOf(steps: readonly Step[]): readonly Happened[] {
  const alive = new Map<string, string>();
  return steps.flatMap(({ name, deletes, color }, index): Happened[] => {
    const version = index + 1;
    const uid = alive.get(name);
    if (deletes && uid === undefined) return [];
    if (deletes) alive.delete(name);
    else alive.set(name, uid ?? `${name}-${version}`);
    return [{ type: deletes ? "delete" : "put", object: object(name, version, { uid: uid ?? `${name}-${version}`, color }) }];
  });
}

function stateAt(history: readonly Happened[], version: number): ReadonlyMap<string, KubeObject> {
  const state = new Map<string, KubeObject>();
  for (const { type, object: happened } of history) {
    if (Number(happened.metadata.resourceVersion) > version) continue;
    if (type === "put") state.set(happened.metadata.name, happened);
    else state.delete(happened.metadata.name);
  }
  return state;
}

const steps = fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), deletes: fc.boolean(), color: fc.constantFrom("red", "blue") }), {
  minLength: 1,
  maxLength: 25,
});
/** What reaches the store next: some events of the watch, the answer of a write (old or new), or a list. */
const deliveries = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("watch" as const), at: fc.nat(24) }),
    fc.record({ type: fc.constant("write" as const), at: fc.nat(24) }),
    fc.record({ type: fc.constant("list" as const), at: fc.nat(25) }),
  ),
  { maxLength: 30 },
);

describe("ObjectStore under any order of events, answers and lists", () => {
  test("never goes back, ends as the server is, and its index agrees with its objects", () => {
    fc.assert(
      fc.property(steps, deliveries, (plan, arrivals) => {
        const history = historyOf(plan);
        const indexers = { color: ({ metadata }: KubeObject) => [metadata.labels?.["color"] ?? ""] };
        const store = new ObjectStore<KubeObject>(indexers);
        store.applyList([], "0");
        let watched = 0;
        const watchOne = (): void => {
          const next = history[watched++];
          if (next?.type === "put") store.applyEvent(next.object);
          if (next?.type === "delete") store.applyDeletion(next.object);
        };
        const newest = new Map<string, number>();
        for (const { type, at } of arrivals) {
          if (type === "watch") watchOne();
          const happened = history[at];
          if (type === "write" && happened?.type === "put") store.applyWrite(happened.object);
          if (type === "list" && at >= Number(store.seenResourceVersion())) {
            store.applyList([...stateAt(history, at).values()], String(at));
            watched = history.filter(({ object: { metadata } }) => Number(metadata.resourceVersion) <= at).length;
          }
          for (const { metadata } of store.list()) {
            const version = Number(metadata.resourceVersion);
            expect(version).toBeGreaterThanOrEqual(newest.get(metadata.name) ?? 0);
            newest.set(metadata.name, version);
          }
        }
        while (watched < history.length) watchOne();
        const final = [...stateAt(history, plan.length).values()];
        expect(new Set(store.list())).toEqual(new Set(final));
        for (const color of ["red", "blue"]) {
          expect(new Set(store.byIndex("color", color))).toEqual(
            new Set(final.filter(({ metadata }) => metadata.labels?.["color"] === color)),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});
