import { describe, expect, test } from "@jest/globals";
import type { NodeImage } from "../../../../src/api/node-image.js";
import { NodeImageWriter } from "../../../../src/controller/image-pull-job/node-image-writer.js";
import type { KubeClient, PatchRequest } from "../../../../src/kube/client.js";
import type { Informer } from "../../../../src/kube/informer.js";
import { type FailureKind, OperationError } from "../../../../src/lib/failure.js";
import { applyMergePatch } from "../../../support/merge-patch.js";
import { settle } from "../../../support/fake-clock.js";
import { makeNodeImage } from "../../../support/images.js";

const { signal } = new AbortController();

/** A server with one NodeImage that refuses patches for old versions, and a cache that may lag. */
class FakeServer {
  current: NodeImage | undefined = makeNodeImage("node1");
  cached: NodeImage | undefined = this.current;
  patches = 0;
  reads = 0;
  refuse: FailureKind | undefined;

  touch(): void {
    const version = String(Number(this.current?.metadata.resourceVersion) + 1);
    this.current = applyMergePatch(this.current, { metadata: { resourceVersion: version } }) as NodeImage;
  }

  writer(): NodeImageWriter {
    const client = {
      patch: async (_resource: unknown, { body }: PatchRequest) => {
        this.patches++;
        await settle();
        if (this.refuse !== undefined) throw failure(this.refuse);
        if (this.current === undefined) throw failure("missing");
        const { metadata } = body as NodeImage;
        if (metadata.resourceVersion !== this.current.metadata.resourceVersion) throw failure("conflict");
        this.current = applyMergePatch(this.current, body) as NodeImage;
        this.touch();
        return this.current;
      },
      get: async () => {
        this.reads++;
        if (this.current === undefined) throw failure("missing");
        return this.current;
      },
    } as unknown as KubeClient;
    const store = { get: () => this.cached };
    const nodeImages = { store, applyWrite: (written: NodeImage) => (this.cached = written) } as unknown as Informer<NodeImage>;
    return new NodeImageWriter({ client, nodeImages });
  }
}

function failure(kind: FailureKind): OperationError {
  return new OperationError(kind, `KUBE_${kind}`, "Cannot patch");
}

/** Adds a label, so that every change leaves its trace. */
function label(key: string) {
  return ({ metadata: { labels, resourceVersion } }: NodeImage) =>
    labels?.[key] === undefined ? { metadata: { labels: { [key]: "x" }, resourceVersion } } : undefined;
}

describe("NodeImageWriter", () => {
  test("changes of one node take turns: no conflict, nothing lost", async () => {
    const server = new FakeServer();
    const writer = server.writer();
    await Promise.all(["a", "b", "c"].map((key) => writer.change("node1", label(key), signal)));
    expect(server.current?.metadata.labels).toMatchObject({ a: "x", b: "x", c: "x" });
    expect([server.patches, server.reads]).toEqual([3, 0]);
  });

  test("a conflict is made good from a fresh copy", async () => {
    const server = new FakeServer();
    server.touch();
    await server.writer().change("node1", label("a"), signal);
    expect(server.current?.metadata.labels).toMatchObject({ a: "x" });
    expect([server.patches, server.reads]).toEqual([2, 1]);
  });

  test("a change that the fresh copy holds already is not written again", async () => {
    const server = new FakeServer();
    server.current = applyMergePatch(server.current, { metadata: { labels: { a: "x" }, resourceVersion: "8" } }) as NodeImage;
    await server.writer().change("node1", label("a"), signal);
    expect(server.patches).toBe(1);
    expect(server.cached?.metadata.labels).toMatchObject({ a: "x" });
  });

  test("a NodeImage that is gone is no failure", async () => {
    const server = new FakeServer();
    server.current = undefined;
    await server.writer().change("node1", label("a"), signal);
    server.cached = undefined;
    await server.writer().change("node1", label("a"), signal);
    expect(server.patches).toBe(1);
  });

  for (const kind of ["conflict", "transient", "invalid"] as const) {
    test(`a lasting failure of kind ${kind} reaches the caller, and no later one`, async () => {
      const server = new FakeServer();
      const writer = server.writer();
      server.refuse = kind;
      const first = writer.change("node1", label("a"), signal);
      await expect(first).rejects.toMatchObject({ kind });
      server.refuse = undefined;
      await writer.change("node1", label("b"), signal);
      expect(server.current?.metadata.labels).toMatchObject({ b: "x" });
    });
  }
});
