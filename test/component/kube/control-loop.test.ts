import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Pod } from "../../../src/api/pod.js";
import { PODS } from "../../../src/api/resources.js";
import { createControlLoop } from "../../../src/kube/control-loop.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";

jest.setTimeout(30_000); // machines that run these may be busy

describe("client, informer and control loop together", () => {
  let fixture: KubeFixture;
  beforeEach(async () => {
    fixture = await startKubeFixture();
  });
  afterEach(() => fixture.stop());

  test("a control loop sees a created pod through an informer and patches it", async () => {
    const { client, signal } = fixture;
    const pods = fixture.startInformer<Pod>(PODS);
    const loop = createControlLoop({
      name: "test",
      workers: 2,
      waitFor: [pods],
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      metrics: silentMetrics,
      reconciler: {
        async reconcile(key) {
          const pod = pods.store.get(key);
          if (pod === undefined || pod.metadata.labels?.["seen"] === "yes") return {};
          const body = { metadata: { labels: { seen: "yes" }, resourceVersion: pod.metadata.resourceVersion } };
          pods.applyWrite(await client.patch<Pod>(PODS, { target: pod.metadata, type: "merge", body }, signal));
          return {};
        },
      },
    });
    pods.onChange(({ key }) => loop.queue.add(key));
    fixture.start(loop);
    await client.create<Pod>(PODS, { metadata: { name: "web-0", namespace: "shop" }, spec: { containers: [{ name: "app" }] } }, signal);
    await eventually(() => expect(pods.store.get("shop/web-0")?.metadata.labels).toEqual({ seen: "yes" }));
    const seen = await client.get<Pod>(PODS, { namespace: "shop", name: "web-0" }, signal);
    expect(seen.spec.containers).toMatchObject([{ name: "app" }]);
    await client.delete(PODS, { target: seen.metadata }, signal);
    await eventually(() => expect(pods.store.list()).toEqual([]));
  });
});
