import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { KubeObject, Resource } from "../../src/api/meta.js";
import type { Pod } from "../../src/api/pod.js";
import { CLONE_SETS, EVENTS, LEASES, PODS } from "../../src/api/resources.js";
import type { KubeClient, PatchRequest, WatchEvent } from "../../src/kube/client.js";
import { createEventRecorder } from "../../src/kube/event-recorder.js";
import { createLeaderElector } from "../../src/kube/leader-election.js";
import type { Lease } from "../../src/kube/lease-record.js";
import { createInformer } from "../../src/kube/reflector.js";
import { systemClock } from "../../src/lib/clock.js";
import { failureKind, OperationError } from "../../src/lib/failure.js";
import { silentLogger } from "../../src/lib/logger.js";
import { silentMetrics } from "../../src/lib/metrics.js";
import { systemRandom } from "../../src/lib/random.js";
import { eventually } from "./eventually.js";

/** An API server that the suite may use, and a namespace in it. */
export interface ApiSubject {
  readonly client: KubeClient;
  readonly namespace: string;
  close(): Promise<void>;
}

const CONFIG_MAPS: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
const PORTS = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics: silentMetrics };

/** What the kube room relies on. Runs alike on the model and on a real API server, so that the model does not lie. */
export function describeApi(name: string, open: () => Promise<ApiSubject>): void {
  describe(`the API as kube knows it, on ${name}`, () => {
    let subject: ApiSubject;
    let stop: AbortController;
    let namespace: string;
    let client: KubeClient;

    beforeAll(async () => {
      subject = await open();
      ({ client, namespace } = subject);
      stop = new AbortController();
    });
    afterAll(async () => {
      stop.abort(new Error("the suite has ended"));
      await subject.close();
    });

    const outcome = async (work: Promise<unknown>): Promise<string> => {
      try {
        await work;
        return "accepted";
      } catch (error) {
        return error instanceof OperationError ? `${error.kind} ${error.code}` : `bug ${String(error)}`;
      }
    };
    const at = (target: string): { readonly namespace: string; readonly name: string } => ({ namespace, name: target });
    const createMap = (target: string, more: object = {}): Promise<KubeObject & { readonly data?: unknown }> =>
      client.create(CONFIG_MAPS, { metadata: { ...at(target), ...more }, data: { a: "1" } } as KubeObject, stop.signal);
    const patchMap = (
      target: string,
      body: unknown,
      type: PatchRequest["type"] = "merge",
    ): Promise<KubeObject & { readonly data?: unknown }> => client.patch(CONFIG_MAPS, { target: at(target), type, body }, stop.signal);

    test("gives the stored object back, and leaves it alone when nothing changes", async () => {
      const made = await createMap("writes");
      expect(made).toMatchObject({ kind: "ConfigMap", metadata: { namespace, uid: expect.any(String) }, data: { a: "1" } });
      const patched = await patchMap("writes", { data: { b: "2" } });
      expect(patched.data).toEqual({ a: "1", b: "2" });
      expect(patched.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      expect((await patchMap("writes", { data: { b: "2" } })).metadata.resourceVersion).toBe(patched.metadata.resourceVersion);
      expect((await patchMap("writes", [{ op: "remove", path: "/data/a" }], "json")).data).toEqual({ b: "2" });
    });

    test("refuses with the kinds of failure that the control loop builds on", async () => {
      const { metadata } = await createMap("refusals");
      const whole: KubeObject = { metadata };
      const { signal } = stop;
      expect(await outcome(createMap("refusals"))).toBe("conflict KUBE_ALREADY_EXISTS");
      expect(await outcome(patchMap("refusals", { metadata: { resourceVersion: "1" } }))).toBe("conflict KUBE_CONFLICT");
      expect(await outcome(patchMap("refusals", { metadata: { uid: "other" } }))).toBe("invalid KUBE_INVALID");
      const stranger = { object: { ...whole, metadata: { ...metadata, uid: "other" } } };
      expect(await outcome(client.replace(CONFIG_MAPS, stranger, signal))).toBe("conflict KUBE_CONFLICT");
      expect(await outcome(patchMap("refusals", [{ op: "test", path: "/data/a", value: "x" }], "json"))).toBe("invalid KUBE_INVALID");
      expect(await outcome(client.get(CONFIG_MAPS, at("none"), signal))).toBe("missing KUBE_NOT_FOUND");
      expect(await outcome(patchMap("none", {}))).toBe("missing KUBE_NOT_FOUND");
      const status: PatchRequest = { target: at("refusals"), type: "merge", body: {}, subresource: "status" };
      expect(await outcome(client.patch(CONFIG_MAPS, status, signal))).toBe("unsupported KUBE_KIND_MISSING");
      for (const strange of [{ plural: "widgets" }, { group: "no.such" }, { version: "v9" }]) {
        expect(await outcome(client.list({ ...CONFIG_MAPS, ...strange }, {}, signal))).toBe("unsupported KUBE_KIND_MISSING");
      }
      expect(await outcome(client.list(PODS, { fieldSelector: "spec.color=red" }, signal))).toBe("invalid KUBE_BAD_REQUEST");
      expect(await outcome(client.list(PODS, { labelSelector: "a in b" }, signal))).toBe("invalid KUBE_BAD_REQUEST");
      const wrong = (options: object): Promise<unknown> => client.delete(CONFIG_MAPS, { target: at("refusals"), options }, signal);
      expect(await outcome(wrong({ uid: "other" }))).toBe("conflict KUBE_CONFLICT");
      expect(await outcome(wrong({ resourceVersion: "1" }))).toBe("conflict KUBE_CONFLICT");
      expect(await wrong({ uid: metadata.uid })).toBeUndefined();
    });

    test("treats custom resources by their own rules", async () => {
      const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a:1" }] } };
      const spec = { replicas: 0, paused: true, selector: { matchLabels: { app: "a" } }, template };
      const { signal } = stop;
      const made = await client.create<KubeObject>(CLONE_SETS, { metadata: at("custom"), spec } as KubeObject, signal);
      const patch = (type: PatchRequest["type"], body: unknown): Promise<KubeObject> =>
        client.patch(CLONE_SETS, { target: at("custom"), type, body }, signal);
      expect(await outcome(patch("strategic", {}))).toBe("unsupported KUBE_UNSUPPORTED");
      expect(await outcome(client.replace(CLONE_SETS, { object: { ...made, metadata: at("custom") } }, signal))).toBe(
        "invalid KUBE_INVALID",
      );
      expect((await patch("merge", { metadata: { labels: { a: "1" } } })).metadata.generation).toBe(made.metadata.generation);
      expect((await patch("merge", { spec: { minReadySeconds: 1 } })).metadata.generation).toBe((made.metadata.generation ?? 0) + 1);
      await client.delete(CLONE_SETS, { target: at("custom") }, signal);
    });

    test("keeps the rules of pods: what may change, how lists merge, and how the status is written", async () => {
      const { signal } = stop;
      const containers = [
        { name: "a", image: "a:1", env: [{ name: "X", value: "1" }] },
        { name: "b", image: "b:1" },
      ];
      const spec = { nodeSelector: { "no-such": "node" }, containers, readinessGates: [{ conditionType: "InPlaceUpdateReady" }] };
      const make = (): Promise<Pod> => client.create<Pod>(PODS, { metadata: { ...at("pod"), labels: { app: "x" } }, spec }, signal);
      await eventually(make, 20_000); // a new namespace has its service account a moment later
      const patch = (body: unknown, status = false): Promise<Pod> =>
        client.patch<Pod>(PODS, { target: at("pod"), type: "strategic", body, ...(status ? { subresource: "status" } : {}) }, signal);
      const updated = await patch({ spec: { containers: [{ name: "b", image: "b:2" }] } });
      expect(updated.spec.containers.map(({ name: container, image }) => `${container} ${image}`)).toEqual(["a a:1", "b b:2"]);
      expect(await outcome(patch({ spec: { containers: [{ name: "a", env: [{ name: "Y", value: "1" }] }] } }))).toBe(
        "invalid KUBE_INVALID",
      );
      const flipped = (value: string): unknown => ({ status: { conditions: [{ type: "InPlaceUpdateReady", status: value }] } });
      await patch({ spec: { containers: [{ name: "a", image: "a:9" }] }, ...(flipped("False") as object) }, true);
      const { spec: kept, status } = await patch(flipped("True"), true);
      expect(kept.containers[0]?.image).toBe("a:1");
      expect(status?.conditions?.filter(({ type }) => type === "InPlaceUpdateReady").map((condition) => condition.status)).toEqual([
        "True",
      ]);
      expect((await client.delete<Pod>(PODS, { target: at("pod") }, signal))?.metadata.deletionTimestamp).toBeDefined();
      await eventually(async () => expect(await outcome(client.get(PODS, at("pod"), signal))).toBe("missing KUBE_NOT_FOUND"));
    });

    test("a watch tells what enters and leaves its selector, in the order of resourceVersions, and ends by its time limit", async () => {
      const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace }, stop.signal);
      const seen: WatchEvent<KubeObject>[] = [];
      const options = { namespace, labelSelector: "in=yes", resourceVersion, timeoutSeconds: 2 };
      const watching = (async () => {
        for await (const event of client.watch(CONFIG_MAPS, options, stop.signal)) if (event.type !== "BOOKMARK") seen.push(event);
      })();
      await createMap("watched");
      const entered = await patchMap("watched", { metadata: { labels: { in: "yes" } } });
      const changed = await patchMap("watched", { data: { b: "2" } });
      const left = await patchMap("watched", { metadata: { labels: { in: "no" } } });
      const back = await patchMap("watched", { metadata: { labels: { in: "yes" } } });
      await client.delete(CONFIG_MAPS, { target: at("watched") }, stop.signal);
      await watching;
      expect(seen.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]);
      const versions = seen.map(({ object }) => object.metadata.resourceVersion);
      expect(versions.slice(0, 4)).toEqual([entered, changed, left, back].map(({ metadata }) => metadata.resourceVersion));
      expect(BigInt(versions[4] ?? "0")).toBeGreaterThan(BigInt(versions[3] ?? "0"));
    });

    test("an informer follows, and a write of ours is there at once and stays", async () => {
      const informer = createInformer<KubeObject>({ resource: CONFIG_MAPS, client, list: { namespace }, ...PORTS });
      const end = new AbortController();
      const running = informer.run(end.signal).catch((error: unknown) => error);
      await informer.waitForSync(end.signal);
      const written = await createMap("followed");
      informer.applyWrite(written);
      const newer = await patchMap("followed", { data: { b: "2" } });
      informer.applyWrite(newer);
      expect(informer.store.get(`${namespace}/followed`)?.metadata.resourceVersion).toBe(newer.metadata.resourceVersion);
      await client.delete(CONFIG_MAPS, { target: at("followed") }, stop.signal);
      await eventually(() => expect(informer.store.get(`${namespace}/followed`)).toBeUndefined());
      informer.applyWrite(newer);
      expect(informer.store.get(`${namespace}/followed`)).toBeUndefined();
      end.abort(new Error("done"));
      await running;
    });

    test("finalizers hold an object, and what it owned goes after it", async () => {
      const owner = await createMap("owner", { finalizers: ["podmend.io/test"] });
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" }];
      await createMap("owned", { ownerReferences });
      const marked = await client.delete(CONFIG_MAPS, { target: at("owner") }, stop.signal);
      expect(marked?.metadata.deletionTimestamp).toBeDefined();
      await patchMap("owner", { metadata: { finalizers: null } });
      expect(await outcome(client.get(CONFIG_MAPS, at("owner"), stop.signal))).toBe("missing KUBE_NOT_FOUND");
      await eventually(
        async () => expect(await outcome(client.get(CONFIG_MAPS, at("owned"), stop.signal))).toBe("missing KUBE_NOT_FOUND"),
        20_000,
      );
    });

    test("a lease is taken, renewed and given back", async () => {
      const timings = { leaseMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 50 };
      const elector = createLeaderElector({ client, lease: at("lease"), identity: "me", timings, ...PORTS });
      const lease = (): Promise<Lease> => client.get<Lease>(LEASES, at("lease"), stop.signal);
      const end = new AbortController();
      const lead = async (signal: AbortSignal): Promise<void> => {
        const { renewTime } = (await lease()).spec ?? {};
        await eventually(async () => expect((await lease()).spec?.renewTime).not.toBe(renewTime));
        end.abort(new Error("led long enough"));
        await systemClock.sleep(60_000, signal);
      };
      await expect(elector.run(lead, end.signal)).rejects.toThrow("led long enough");
      expect((await lease()).spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
    });

    test("equal events are counted on one object", async () => {
      const recorder = createEventRecorder({ client, component: "podmend-suite", instance: "suite", ...PORTS });
      const end = new AbortController();
      const running = recorder.run(end.signal).catch((error: unknown) => error);
      const fact = {
        regarding: { apiVersion: "v1", kind: "ConfigMap", ...at("any") },
        type: "Normal",
        reason: "Tried",
        message: "m",
      } as const;
      const counts = async (): Promise<readonly unknown[]> => {
        const { items } = await client.list<KubeObject & { readonly count?: number }>(
          EVENTS,
          { namespace, fieldSelector: "reason=Tried" },
          stop.signal,
        );
        return items.map(({ count }) => count);
      };
      recorder.record(fact);
      await eventually(async () => expect(await counts()).toEqual([1]));
      recorder.record(fact);
      await eventually(async () => expect(await counts()).toEqual([2]));
      end.abort(new Error("done"));
      expect(failureKind(await running)).toBeUndefined();
    });
  });
}
