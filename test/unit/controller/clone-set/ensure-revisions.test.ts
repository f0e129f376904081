import { describe, expect, test } from "@jest/globals";
import type { ControllerRevision } from "../../../../src/api/pod.js";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import { deleteExpiredRevisions, ensureRevisions } from "../../../../src/controller/clone-set/ensure-revisions.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { makeCloneSet } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

/** A pass whose first `taken` names for a revision belong to somebody else. */
function setUp(taken: number) {
  const names = new Set<string>();
  const client = {
    create: async (_resource: unknown, revision: ControllerRevision) => {
      names.add(revision.metadata.name);
      if (names.size <= taken) throw new OperationError("conflict", "KUBE_CONFLICT", "exists", { reason: "AlreadyExists" });
      return revision;
    },
    get: async () => ({ metadata: { name: "x" }, revision: 1, data: {} }),
  };
  const { deps } = stubDependencies({ controllerRevisions: createStubInformer<ControllerRevision>() });
  const pass = new Pass({ ...deps, client } as unknown as ControllerDependencies, makeCloneSet(), new AbortController().signal);
  return { pass, names };
}

describe("deleteExpiredRevisions()", () => {
  test("deletes just the revision that was looked at, not one that has its name by now", async () => {
    const deleted: unknown[] = [];
    const controllerRevisions = createStubInformer<ControllerRevision>();
    controllerRevisions.set({ metadata: { name: "web-1", namespace: "shop", uid: "revision-uid" }, revision: 1 });
    const client = { delete: async (_resource: unknown, request: unknown) => void deleted.push(request) };
    const { deps } = stubDependencies({ controllerRevisions });
    const cloneSet = makeCloneSet({ revisionHistoryLimit: 0 });
    const pass = new Pass({ ...deps, client } as unknown as ControllerDependencies, cloneSet, new AbortController().signal);
    await deleteExpiredRevisions(pass, new Set(["web-1"]));
    expect(deleted).toEqual([]);
    await deleteExpiredRevisions(pass, new Set());
    expect(deleted).toEqual([{ target: { name: "web-1", namespace: "shop" }, options: { uid: "revision-uid" } }]);
  });
});

describe("ensureRevisions()", () => {
  test("takes the next name while a name is taken by somebody else's revision", async () => {
    const { pass, names } = setUp(2);
    expect(await ensureRevisions(pass)).toMatchObject({ collisionCount: 2 });
    expect(names.size).toBe(3);
    expect(pass.failures).toEqual([]);
  });

  test("tells the user when it finds no name, instead of trying for ever in silence", async () => {
    const { pass, names } = setUp(1_000);
    await expect(ensureRevisions(pass)).rejects.toThrow("exists");
    expect(names.size).toBe(6);
    expect(pass.failures).toMatchObject([{ type: "FailedUpdate", reason: "FailedRevision" }]);
    expect(pass.failures[0]?.message).toContain("6 names");
  });
});
