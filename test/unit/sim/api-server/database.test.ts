import { describe, expect, test } from "@jest/globals";
import { CLONE_SETS, PODS } from "../../../../src/api/resources.js";
import { type ChangeRecord, Database } from "../../../../src/sim/api-server/database.js";
import type { StoredObject } from "../../../../src/sim/api-server/json.js";
import { interestOf } from "../../../../src/sim/api-server/listeners.js";
import type { ServedKind } from "../../../../src/sim/api-server/served-kinds.js";
import { DEFAULT_KINDS } from "../../../../src/sim/api-server/shipped-kinds.js";

function kindOf(plural: string): ServedKind {
  const kind = DEFAULT_KINDS.find((other) => other.plural === plural);
  if (kind === undefined) throw new Error(`the model does not serve ${plural}`);
  return kind;
}
const pods = kindOf(PODS.plural);
const cloneSets = kindOf(CLONE_SETS.plural);

function pod(name: string, nodeName?: string): StoredObject {
  return { spec: { ...(nodeName !== undefined && { nodeName }) }, metadata: { name, uid: `${name}-uid`, resourceVersion: "" } };
}

function heard(database: Database, kind: ServedKind, fieldSelector: string): string[] {
  const names: string[] = [];
  database.watch(interestOf(kind, fieldSelector), ({ type, object }) => void names.push(`${type} ${object.metadata.name}`));
  return names;
}

describe("Database.watch()", () => {
  test("tells of one kind only", () => {
    const database = new Database();
    const names = heard(database, pods, "");
    database.put(pods, "a", pod("a"));
    database.put(cloneSets, "b", pod("b"));
    expect(names).toEqual(["ADDED a"]);
  });

  test("tells of the objects that a name or node selects, and of those that leave it", () => {
    const database = new Database();
    const [byName, byNode] = [heard(database, pods, "metadata.name=a"), heard(database, pods, "status.phase=Running,spec.nodeName=n1")];
    database.put(pods, "a", pod("a", "n1"));
    database.put(pods, "b", pod("b", "n2"));
    database.put(pods, "a", pod("a", "n2"));
    database.remove(pods, "a", pod("a", "n2"));
    expect(byName).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(byNode).toEqual(["ADDED a", "MODIFIED a"]);
  });

  test("tells nothing any more once it is ended", () => {
    const database = new Database();
    const records: ChangeRecord[] = [];
    const end = database.watch({ kind: pods }, (record) => void records.push(record));
    database.put(pods, "a", pod("a"));
    end();
    database.put(pods, "a", pod("a"));
    expect(records).toHaveLength(1);
  });

  test("does not narrow by a selector that excludes", () => {
    expect(interestOf(pods, "metadata.name!=a")).toEqual({ kind: pods });
  });
});

describe("Database.changesAfter()", () => {
  test("gives exactly the changes after each revision", () => {
    const database = new Database();
    const first = database.revision();
    for (const name of ["a", "b", "c"]) database.put(pods, name, pod(name));
    const after = (revision: number): readonly string[] | undefined =>
      database.changesAfter(revision)?.map(({ object }) => object.metadata.name);
    expect([0, 1, 2, 3].map((step) => after(first + step))).toEqual([["a", "b", "c"], ["b", "c"], ["c"], []]);
  });

  test("forgets the oldest changes beyond its bytes, and only those", () => {
    const database = new Database(4_000);
    const first = database.revision();
    for (let step = 0; step < 200; step++) database.put(pods, "a", pod("a"));
    expect(database.changesAfter(first)).toBeUndefined();
    const kept = Array.from({ length: 200 }, (_, step) => database.changesAfter(first + step)).find((records) => records !== undefined);
    const sizeBytes = kept?.reduce((sum, { text }) => sum + text.length, 0);
    expect(sizeBytes).toBeGreaterThan(2_800);
    expect(sizeBytes).toBeLessThanOrEqual(4_000);
    expect(kept?.at(-1)?.revision).toBe(first + 200);
  });

  test("gives nothing from before a compaction", () => {
    const database = new Database();
    const first = database.revision();
    database.put(pods, "a", pod("a"));
    database.compact();
    expect([database.changesAfter(first), database.changesAfter(first + 1)]).toEqual([undefined, []]);
  });
});

describe("Database.all()", () => {
  test("is sorted by key also after objects came and went", () => {
    const database = new Database();
    for (const name of ["c", "a", "b"]) database.put(pods, name, pod(name));
    expect(database.all(pods).map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    database.remove(pods, "b", pod("b"));
    database.put(pods, "aa", pod("aa"));
    expect(database.all(pods).map(({ metadata }) => metadata.name)).toEqual(["a", "aa", "c"]);
  });
});
