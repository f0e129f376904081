import { describe, expect, test } from "@jest/globals";
import type { ControllerRevision } from "../../../../src/api/pod.js";
import {
  decideRevision,
  expiredRevisions,
  holdsTemplate,
  newRevision,
  type RevisionCandidate,
  revisionCandidate,
} from "../../../../src/core/clone-set/revisions.js";
import { makeCloneSet } from "../../../support/clone-set.js";

const cloneSet = makeCloneSet();
const candidate = revisionCandidate(cloneSet);
const other = revisionCandidate(
  makeCloneSet({ template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "b" }] } } }),
);

function revision(number: number, of: RevisionCandidate = candidate): ControllerRevision {
  const made = newRevision(cloneSet, of, { number, collisionCount: 0 });
  return { ...made, metadata: { ...made.metadata, name: `web-${number}` } };
}

describe("decideRevision()", () => {
  test("creates the first revision, and one after the newest for a new template", () => {
    expect(decideRevision([], candidate)).toEqual({ type: "create", number: 1 });
    expect(decideRevision([revision(4, other), revision(2, other)], candidate)).toEqual({ type: "create", number: 5 });
  });

  test("reuses the newest revision when it holds the template", () => {
    expect(decideRevision([revision(2), revision(1, other)], candidate)).toMatchObject({ type: "reuse", revision: { revision: 2 } });
  });

  test("makes an older revision the newest again after a rollback", () => {
    const decision = decideRevision([revision(1), revision(2, other)], candidate);
    expect(decision).toMatchObject({ type: "renumber", number: 3, revision: { revision: 1 } });
  });

  test("knows a template again that somebody wrote down without its defaults", () => {
    const bare = { spec: { template: { $patch: "replace", ...cloneSet.spec.template } } };
    expect(decideRevision([{ ...revision(1), data: bare }], candidate)).toMatchObject({ type: "reuse" });
    expect(holdsTemplate({ nonsense: true }, candidate)).toBe(false);
  });
});

describe("newRevision()", () => {
  test("gives name, labels, annotations and owner as OpenKruise does", () => {
    const annotated = { ...cloneSet, metadata: { ...cloneSet.metadata, annotations: { note: "x" } } };
    const { metadata, revision: number } = newRevision(annotated, candidate, { number: 7, collisionCount: 0 });
    const hash = metadata.name.slice(4);
    expect(number).toBe(7);
    expect(metadata).toMatchObject({
      namespace: "shop",
      labels: { app: "web", "controller.kubernetes.io/hash": hash },
      annotations: { note: "x", "kruise.io/cloneset-volumeclaimtemplate-hash": "" },
      ownerReferences: [{ apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "set-uid", controller: true }],
    });
  });

  test("gives another name for each collision", () => {
    const names = [0, 1].map((collisionCount) => newRevision(cloneSet, candidate, { number: 1, collisionCount }).metadata.name);
    expect(new Set(names).size).toBe(2);
  });
});

describe("expiredRevisions()", () => {
  const all = [revision(3), revision(1), revision(2), revision(4)];
  const names = (live: readonly string[], limit: number): readonly string[] =>
    expiredRevisions(all, new Set(live), limit).map(({ metadata }) => metadata.name);

  test("gives the oldest beyond the limit, never one in use", () => {
    expect(names(["web-4"], 2)).toEqual(["web-1"]);
    expect(names(["web-1", "web-4"], 1)).toEqual(["web-2"]);
    expect(names(["web-4"], 3)).toEqual([]);
    expect(names(["1", "web-4"], 1)).toEqual(["web-2"]);
    expect(names(["web-4"], 0)).toEqual(["web-1", "web-2", "web-3"]);
  });
});
