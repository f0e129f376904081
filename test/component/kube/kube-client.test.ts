import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { KubeObject, Resource } from "../../../src/api/meta.js";
import type { Pod } from "../../../src/api/pod.js";
import { CLONE_SETS, NODES, PODS } from "../../../src/api/resources.js";
import { fileCredentials } from "../../../src/kube/auth.js";
import { createKubeClient } from "../../../src/kube/kube-client.js";
import { createNodeWire } from "../../../src/kube/node-http2-wire.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { makeCloneSet } from "../../support/clone-set.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

jest.setTimeout(30_000); // machines that run these may be busy

let fixture: KubeFixture;
let baseline: Readonly<Record<string, number>>;

beforeEach(async () => {
  baseline = openResources();
  fixture = await startKubeFixture({ component: "agent" });
});
afterEach(async () => {
  await fixture.stop();
  await expectNothingLeft(baseline);
});

const WEB = { namespace: "shop", name: "web-0" };

function pod(name: string, more: object = {}): Pod & { readonly metadata: { readonly futureField?: string } } {
  return { metadata: { name, namespace: "shop" }, spec: { containers: [{ name: "app", image: "a:1" }] }, ...more };
}

function requestsOf(method: string): number {
  return fixture.server.requests.filter((request) => request.method === method).length;
}

describe("KubeClient writes", () => {
  test("create() gives the stored object and names client and field manager", async () => {
    const { client, server, signal } = fixture;
    const made = await client.create<Pod>(PODS, pod("web-0"), signal);
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(server.requests[0]).toEqual({
      method: "POST",
      path: "/api/v1/namespaces/shop/pods?fieldManager=podmend-agent",
      userAgent: "podmend/0.0.0 (agent)",
    });
  });

  test("create() of a taken name is a conflict of its own code", async () => {
    const { client, signal } = fixture;
    await client.create(PODS, pod("web-0"), signal);
    await expect(client.create(PODS, pod("web-0"), signal)).rejects.toMatchObject({
      kind: "conflict",
      code: "KUBE_ALREADY_EXISTS",
      reason: "AlreadyExists",
      message: 'Cannot create Pod "shop/web-0": AlreadyExists: pods "web-0" already exists',
    });
  });

  test("patch() by each type changes only what it names and keeps unknown fields", async () => {
    const { client, signal } = fixture;
    await client.create(
      PODS,
      pod("web-0", { spec: { futureField: 1, containers: [{ name: "app", image: "a:1", odd: true }, { name: "b" }] } }),
      signal,
    );
    const patch = (type: "merge" | "strategic" | "json", body: unknown): Promise<Pod> =>
      client.patch<Pod>(PODS, { target: WEB, type, body }, signal);
    await patch("merge", { metadata: { labels: { a: "1", b: "2" } } });
    await patch("strategic", { spec: { containers: [{ name: "app", image: "a:2" }] } });
    const last = await patch("json", [{ op: "remove", path: "/metadata/labels/b" }]);
    expect(last.metadata.labels).toEqual({ a: "1" });
    expect(last.spec).toMatchObject({ futureField: 1, containers: [{ name: "app", image: "a:2", odd: true }, { name: "b" }] });
  });

  test("patch() with an old resourceVersion is a conflict", async () => {
    const { client, signal } = fixture;
    const old = await client.create<Pod>(PODS, pod("web-0"), signal);
    await client.patch(PODS, { target: WEB, type: "merge", body: { metadata: { labels: { a: "1" } } } }, signal);
    const body = { metadata: { resourceVersion: old.metadata.resourceVersion, labels: { a: "2" } } };
    await expect(client.patch(PODS, { target: WEB, type: "merge", body }, signal)).rejects.toMatchObject({
      kind: "conflict",
      code: "KUBE_CONFLICT",
    });
  });

  test("patch() of the status leaves the spec alone, and the other way round", async () => {
    const { client, signal } = fixture;
    await client.create(CLONE_SETS, makeCloneSet({ replicas: 1 }), signal);
    const target = { namespace: "shop", name: "web" };
    const counts = { readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0, updatedReadyReplicas: 0 };
    const both = { spec: { replicas: 5 }, status: { replicas: 7, ...counts } };
    const afterStatus = await client.patch(CLONE_SETS, { target, type: "merge", body: both, subresource: "status" }, signal);
    expect(afterStatus).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 7 }, metadata: { generation: 1 } });
    const afterSpec = await client.patch(CLONE_SETS, { target, type: "merge", body: { spec: { replicas: 5 }, status: null } }, signal);
    expect(afterSpec).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 7 }, metadata: { generation: 2 } });
  });

  test("replace() without a resourceVersion of a custom resource is invalid and says which field", async () => {
    const { client, signal } = fixture;
    const made = await client.create<KubeObject>(CLONE_SETS, makeCloneSet(), signal);
    const { name, namespace = "" } = made.metadata;
    await expect(client.replace(CLONE_SETS, { object: { ...made, metadata: { name, namespace } } }, signal)).rejects.toMatchObject({
      kind: "invalid",
      code: "KUBE_INVALID",
      message: expect.stringContaining("metadata.resourceVersion"),
    });
  });

  test("delete() checks its preconditions", async () => {
    const { client, signal } = fixture;
    const made = await client.create<KubeObject>(NODES, { metadata: { name: "node1" } }, signal);
    const target = { name: "node1" };
    await expect(client.delete(NODES, { target, options: { uid: "other" } }, signal)).rejects.toMatchObject({ kind: "conflict" });
    await client.delete(NODES, { target, options: { uid: made.metadata.uid ?? "" } }, signal);
    await expect(client.get(NODES, target, signal)).rejects.toMatchObject({ kind: "missing", code: "KUBE_NOT_FOUND" });
  });
});

describe("KubeClient.list()", () => {
  test("reads all pages and completes apiVersion and kind", async () => {
    const { client, server, signal } = fixture;
    for (let index = 0; index < 1_201; index++) server.state.create(PODS, pod(`p-${index}`), "shop");
    const { items, resourceVersion } = await client.list<Pod>(PODS, {}, signal);
    expect(new Set(items.map((item) => item.metadata.name)).size).toBe(1_201);
    expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "Pod" });
    expect(resourceVersion).toBe(String(server.state.database.revision()));
    expect(requestsOf("GET")).toBe(3);
  });

  test("starts again without pages when a page is gone", async () => {
    const { client, server, signal } = fixture;
    for (let index = 0; index < 700; index++) server.state.create(PODS, pod(`p-${index}`), "shop");
    server.faults.add({ path: /continue=/ }, { type: "status", code: 410, reason: "Expired" });
    const { items } = await client.list<Pod>(PODS, {}, signal);
    expect(items.length).toBe(700);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/api/v1/pods?limit=500",
      expect.stringContaining("continue="),
      "/api/v1/pods",
    ]);
  });

  test("selects by namespace, labels and fields", async () => {
    const { client, server, signal } = fixture;
    server.state.create(
      PODS,
      pod("a", { metadata: { name: "a", labels: { app: "web" } }, spec: { nodeName: "n1", containers: [] } }),
      "shop",
    );
    server.state.create(PODS, pod("b", { metadata: { name: "b", labels: { app: "web" } } }), "shop");
    server.state.create(PODS, pod("c", { metadata: { name: "c" } }), "other");
    const names = async (options: object): Promise<readonly string[]> =>
      (await client.list<Pod>(PODS, options, signal)).items.map((item) => item.metadata.name);
    expect(await names({ namespace: "shop" })).toEqual(["a", "b"]);
    expect(await names({ labelSelector: "app in (web,db),!other" })).toEqual(["a", "b"]);
    expect(await names({ labelSelector: "app=web", fieldSelector: "spec.nodeName=n1" })).toEqual(["a"]);
    await expect(names({ fieldSelector: "spec.color=red" })).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("KubeClient under faults", () => {
  beforeEach(() => {
    fixture.server.state.create(PODS, pod("web-0"), "shop");
  });
  const get = (): Promise<Pod> => fixture.client.get<Pod>(PODS, WEB, fixture.signal);
  const label = (): Promise<Pod> =>
    fixture.client.patch<Pod>(PODS, { target: WEB, type: "merge", body: { metadata: { labels: { a: "1" } } } }, fixture.signal);

  test("waits as long as Retry-After says, also before a write", async () => {
    fixture.server.faults.add({ method: "PATCH" }, { type: "status", code: 429, reason: "TooManyRequests", retryAfterSeconds: 1 });
    const startMs = performance.now();
    expect((await label()).metadata.labels).toEqual({ a: "1" });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
  });

  test("gives up after a bounded number of tries and passes Retry-After on", async () => {
    fixture.server.faults.add({ times: 100 }, { type: "status", code: 503, retryAfterSeconds: 31 });
    await expect(get()).rejects.toMatchObject({ kind: "transient", code: "KUBE_UNAVAILABLE", retryAfterMs: 31_000 });
    fixture.server.faults.clear();
    fixture.server.faults.add({ times: 100 }, { type: "status", code: 500 });
    await expect(get()).rejects.toMatchObject({ kind: "transient", code: "KUBE_SERVER_ERROR" });
    expect(requestsOf("GET")).toBe(1 + 5);
  });

  test("repeats a read after 500, and a write not", async () => {
    fixture.server.faults.add({}, { type: "status", code: 500 });
    expect((await get()).metadata.name).toBe("web-0");
    fixture.server.faults.add({}, { type: "status", code: 500 });
    await expect(label()).rejects.toMatchObject({ kind: "transient" });
    expect(requestsOf("PATCH")).toBe(1);
  });

  test("repeats a read whose connection broke, and a write not, since it may have happened", async () => {
    const { server, client, signal } = fixture;
    server.faults.add({ method: "GET" }, { type: "reset" });
    expect((await get()).metadata.name).toBe("web-0");
    server.faults.add({ method: "POST" }, { type: "cutAfterReply" });
    await expect(client.create(PODS, pod("web-1"), signal)).rejects.toMatchObject({ kind: "transient", code: "KUBE_DISCONNECTED" });
    expect(server.state.get(PODS, { namespace: "shop", name: "web-1" }).metadata.name).toBe("web-1");
    expect(requestsOf("POST")).toBe(1);
  });

  test("a missing object is missing, a missing kind is unsupported", async () => {
    const { client, signal, server } = fixture;
    const gone: Resource = { ...CLONE_SETS, plural: "widgets", kind: "Widget" };
    await expect(client.get(PODS, { namespace: "shop", name: "no" }, signal)).rejects.toMatchObject({ kind: "missing" });
    await expect(client.list(gone, {}, signal)).rejects.toMatchObject({ kind: "unsupported", code: "KUBE_KIND_MISSING" });
    server.state.removeKind(CLONE_SETS);
    await expect(client.get(CLONE_SETS, { namespace: "shop", name: "no" }, signal)).rejects.toMatchObject({ kind: "unsupported" });
    const body = { metadata: { labels: { a: "1" } } };
    await expect(client.patch(PODS, { target: WEB, type: "merge", body, subresource: "scale" }, signal)).rejects.toMatchObject({
      kind: "unsupported",
    });
  });

  test("a request that hangs ends with its deadline", async () => {
    const wire = createNodeWire({ server: fixture.server.url, credentials: NOBODY, clock: systemClock });
    const hasty = createKubeClient({
      wire,
      credentials: NOBODY,
      component: "test",
      version: "1",
      requestTimeoutMs: 150,
      clock: systemClock,
      random: systemRandom,
      metrics: silentMetrics,
    });
    fixture.server.faults.add({}, { type: "hang" });
    await expect(hasty.get(PODS, WEB, fixture.signal)).rejects.toMatchObject({
      kind: "transient",
      code: "KUBE_DEADLINE",
      message: 'Cannot get Pod "shop/web-0": no answer in 150 ms',
    });
    await wire.close();
  });

  test("an abort is no failure of its own", async () => {
    fixture.server.faults.add({}, { type: "hang" });
    const stop = new AbortController();
    const waiting = fixture.client.get(PODS, WEB, stop.signal);
    const reason = new Error("stopping");
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

const NO_TLS = {};
const NOBODY = { authorization: () => Promise.resolve(undefined), renew: () => undefined, tls: () => Promise.resolve(NO_TLS) };

describe("KubeClient with a token that is rotated", () => {
  test("reads the token again after a 401 and repeats the request once, also a write", async () => {
    const { server, signal } = fixture;
    let token = "old";
    server.setToken("old");
    const files = { read: async () => Buffer.from(`${token}\n`), modifiedMs: async () => 1 };
    const credentials = fileCredentials({ token: "/token", files, clock: systemClock });
    const wire = createNodeWire({ server: server.url, credentials, clock: systemClock });
    const client = createKubeClient({
      wire,
      credentials,
      component: "test",
      version: "1",
      clock: systemClock,
      random: systemRandom,
      metrics: silentMetrics,
    });
    await client.create(PODS, pod("first"), signal);
    token = "new";
    server.setToken("new");
    await client.create(PODS, pod("second"), signal);
    server.setToken("never");
    await expect(client.create(PODS, pod("third"), signal)).rejects.toMatchObject({ kind: "denied", code: "KUBE_UNAUTHORIZED" });
    expect(requestsOf("POST")).toBe(1 + 2 + 2);
    await wire.close();
  });
});
