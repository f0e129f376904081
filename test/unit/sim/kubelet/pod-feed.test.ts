import { expect, test } from "@jest/globals";
import { PODS } from "../../../../src/api/resources.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { PodFeed } from "../../../../src/sim/kubelet/pod-feed.js";
import { FakeClock } from "../../../support/fake-clock.js";

/** As Node's: a timer counts whole milliseconds, so that the second of two that are due together may ring first. */
class CoarseClock extends FakeClock {
  override schedule(delayMs: number, callback: () => void): () => void {
    return super.schedule(Math.ceil(delayMs), callback);
  }
}

test("PodFeed tells of changes in their order, also when timers ring in another one", async () => {
  const clock = new CoarseClock(0);
  const state = new ApiState({ clock });
  const lags = [0, 2.5, 0]; // of the list and of two changes, the second of which must not overtake the first
  const feed = new PodFeed({ state, clock, nodeName: "node1", lagMs: () => lags.shift() ?? 0 });
  const seen: unknown[] = [];
  feed.watch({ pod: (_, pod) => void seen.push(pod?.metadata.annotations?.["config"]), listed: () => undefined });
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-0", annotations: { config: "one" } } };
  state.create(PODS, { ...body, spec: { nodeName: "node1", containers: [{ name: "app", image: "app" }] } }, "shop");
  await clock.advance(0.5);
  const change = { metadata: { annotations: { config: "two" } } };
  state.patch(PODS, { namespace: "shop", name: "web-0" }, { contentType: "application/merge-patch+json", body: change });
  await clock.advance(10);
  expect(seen).toEqual(["one", "two"]);
  state.close();
});
