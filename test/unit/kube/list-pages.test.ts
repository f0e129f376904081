import { describe, expect, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import { CLONE_SETS } from "../../../src/api/resources.js";
import { listPages, type ListBody, type PageQuery } from "../../../src/kube/list-pages.js";
import { OperationError } from "../../../src/lib/failure.js";

const item = (name: string): KubeObject => ({ metadata: { name } });

function answers(...bodies: (ListBody<KubeObject> | Error)[]): {
  readonly asked: PageQuery[];
  readonly fetchPage: (query: PageQuery) => Promise<ListBody<KubeObject>>;
} {
  const asked: PageQuery[] = [];
  return {
    asked,
    fetchPage: async (query) => {
      asked.push(query);
      const body = bodies.shift();
      if (body === undefined || body instanceof Error) throw body ?? new Error("asked too often");
      return body;
    },
  };
}

describe("listPages()", () => {
  test("follows continue to the end and gives the list's resourceVersion", async () => {
    const server = answers(
      { metadata: { resourceVersion: "7", continue: "x" }, items: [item("a")] },
      { metadata: { resourceVersion: "7", continue: "" }, items: [item("b")] },
    );
    expect(await listPages({ resource: CLONE_SETS, fetchPage: server.fetchPage })).toEqual({
      items: [
        { metadata: { name: "a" }, apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet" },
        { metadata: { name: "b" }, apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet" },
      ],
      resourceVersion: "7",
    });
    expect(server.asked).toEqual([{ limit: 500 }, { limit: 500, continue: "x" }]);
  });

  test("drops the first pages when it starts again", async () => {
    const gone = new OperationError("transient", "KUBE_GONE", "gone");
    const server = answers({ metadata: { resourceVersion: "7", continue: "x" }, items: [item("a")] }, gone, {
      metadata: { resourceVersion: "9" },
      items: [item("c")],
    });
    const { items, resourceVersion } = await listPages({ resource: CLONE_SETS, fetchPage: server.fetchPage });
    expect([items.map(({ metadata }) => metadata.name), resourceVersion]).toEqual([["c"], "9"]);
  });

  test("passes other failures on, also a 410 of the first page", async () => {
    const gone = new OperationError("transient", "KUBE_GONE", "gone");
    await expect(listPages({ resource: CLONE_SETS, fetchPage: answers(gone).fetchPage })).rejects.toBe(gone);
  });

  test("a list of nothing may have null for items", async () => {
    const server = answers({ metadata: { resourceVersion: "7" }, items: null });
    expect((await listPages({ resource: CLONE_SETS, fetchPage: server.fetchPage })).items).toEqual([]);
  });

  test("projects each item", async () => {
    const server = answers({ metadata: {}, items: [{ ...item("a"), spec: 1 } as KubeObject] });
    const { items } = await listPages({ resource: CLONE_SETS, fetchPage: server.fetchPage, project: ({ metadata }) => ({ metadata }) });
    expect(items).toEqual([{ metadata: { name: "a" } }]);
  });
});
