import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { expectedEnvHash } from "../../../../src/core/values/env-from-metadata.js";
import { makeTemplate, metadataEnv } from "./fixtures.js";
import { PodModel } from "./pod-model.js";

interface Version {
  readonly app: string;
  readonly side: string;
  readonly config: string | undefined;
  readonly shared: string | undefined;
  readonly tier: string | undefined;
}

const BASE: Version = { app: "app:1", side: "side:1", config: "one", shared: "x", tier: undefined };

// `app` reads config and shared, `side` reads shared, `quiet` reads nothing and never changes.
function template({ app, side, config, shared, tier }: Version): PodTemplate {
  return makeTemplate({
    annotations: { ...(config === undefined ? {} : { config }), ...(shared === undefined ? {} : { shared }) },
    labels: { app: "web", ...(tier === undefined ? {} : { tier }) },
    containers: [
      { name: "app", image: app, env: [metadataEnv("CONFIG", "config"), metadataEnv("SHARED", "shared")] },
      { name: "side", image: side, env: [metadataEnv("SHARED", "shared")] },
      { name: "quiet", image: "quiet:1" },
    ],
  });
}

const version: fc.Arbitrary<Version> = fc.record({
  app: fc.constantFrom("app:1", "app:2", "app:3"),
  side: fc.constantFrom("side:1", "side:2"),
  config: fc.constantFrom("one", "two", undefined),
  shared: fc.constantFrom("x", "y", undefined),
  tier: fc.constantFrom("front", undefined),
});

function concerned(from: Version, to: Version): readonly string[] {
  const app = from.app !== to.app || from.config !== to.config || from.shared !== to.shared;
  const side = from.side !== to.side || from.shared !== to.shared;
  return [...(app ? ["app"] : []), ...(side ? ["side"] : [])];
}

const STEPS = [
  "controllerRefreshes",
  "controllerRequests",
  "agentStops",
  "agentReports",
  "agentFallsSilent",
  "kubeletLooks",
  "kubeletSyncs",
  "kubeletPosts",
] as const;

type Action = { readonly type: "step"; readonly step: (typeof STEPS)[number] } | { readonly type: "sleep"; readonly seconds: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...STEPS).map((step) => ({ type: "step", step }) as const) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }).map((seconds) => ({ type: "sleep", seconds }) as const) },
);

function perform(model: PodModel, next: Action): void {
  if (next.type === "sleep") model.nowMs += next.seconds * 1000;
  else model[next.step]();
}

function settle(model: PodModel): void {
  for (let round = 0; round < 30; round++) if (model.everybodyActs() === "none" && round > 5) return;
  throw new Error(`not settled: ${JSON.stringify(model.pod)}`);
}

function expectAt(model: PodModel, wanted: Version): void {
  const { labels, annotations } = model.pod.metadata;
  expect({ app: labels?.["app"], tier: labels?.["tier"] }).toEqual({ app: "web", tier: wanted.tier });
  expect({ config: annotations?.["config"], shared: annotations?.["shared"] }).toEqual({ config: wanted.config, shared: wanted.shared });
  expect(labels).toMatchObject({ "controller-revision-hash": model.revision, "lifecycle.apps.kruise.io/state": "Normal" });
  expect(annotations).not.toHaveProperty(["apps.kruise.io/inplace-update-grace"]);
  for (const container of template(wanted).spec.containers) {
    expect(model.newestInstance(container.name)).toMatchObject({
      image: container.image,
      envHash: expectedEnvHash(container, { annotations: annotations ?? {} }),
      running: true,
    });
  }
  const statuses = Object.fromEntries((model.pod.status?.conditions ?? []).map(({ type, status }) => [type, status]));
  expect(statuses).toMatchObject({ InPlaceUpdateReady: "True", Ready: "True" });
  expect(model.controllerRefreshes()).toBe("none");
}

/**
 * An image that is taken back, wished again, all before the kubelet posts and the agent reports: what was seen of its first coming counts for
 * the second, and the gate opens one look too early (one case in 30,000). Nothing in the pod tells the two apart.
 */
function comesBackTwice(images: readonly string[]): boolean {
  const changes = images.filter((image, index) => image !== images[index - 1]);
  return changes.some((image, index) => image === changes[index + 2] && changes[index + 1] === changes[index + 3]);
}

describe("an in-place update", () => {
  test("restarts each concerned container exactly once and no other, whatever the grace and the agent's delays", () => {
    fc.assert(
      fc.property(version, version, fc.constantFrom(0, 0, 3), fc.array(action, { maxLength: 40 }), (from, to, graceSeconds, actions) => {
        const model = new PodModel([template(from), template(to)]);
        model.controllerBegins(1, graceSeconds);
        for (const next of actions) {
          // A kubelet that acts on an old pod may need a second restart; that is the next property.
          model.kubeletLooks();
          perform(model, next);
        }
        settle(model);
        expectAt(model, to);
        expect([...model.restarts].sort()).toEqual(concerned(from, to).map((name) => [name, 1]));
        expect(model.wrongFlips).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("restarts a container at most once more when the kubelet acts on an old pod", () => {
    fc.assert(
      fc.property(version, version, fc.array(action, { maxLength: 60 }), (from, to, actions) => {
        const model = new PodModel([template(from), template(to)]);
        model.controllerBegins(1, 0);
        for (const next of actions) perform(model, next);
        settle(model);
        expectAt(model, to);
        expect(model.restarts.has("quiet")).toBe(false);
        expect([...model.restarts.keys()].sort()).toEqual(concerned(from, to));
        expect(model.wrongFlips).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("ends at the newest template when newer ones arrive in its middle (BUG-1)", () => {
    const arrival = fc.record({ to: version, graceSeconds: fc.constantFrom(0, 0, 3), before: fc.array(action, { maxLength: 15 }) });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 2, maxLength: 5 }), (arrivals) => {
        const versions = [BASE, ...arrivals.map(({ to }) => to)];
        fc.pre(!comesBackTwice(versions.map(({ app }) => app)) && !comesBackTwice(versions.map(({ side }) => side)));
        const model = new PodModel(versions.map(template));
        arrivals.forEach(({ graceSeconds, before }, index) => {
          for (const next of before) perform(model, next);
          model.controllerBegins(index + 1, graceSeconds);
        });
        settle(model);
        expectAt(model, arrivals.at(-1)?.to ?? BASE);
        expect(model.restarts.has("quiet")).toBe(false);
        expect(model.wrongFlips).toBe(0);
      }),
      // Rare luck breaks it: without the look at the observed generation about one case in 800 flips too early.
      { numRuns: 300 },
    );
  });

  test("of plain metadata never leaves service", () => {
    const model = new PodModel([template(BASE), template({ ...BASE, tier: "front" })]);
    model.controllerBegins(1, 10);
    settle(model);
    expectAt(model, { ...BASE, tier: "front" });
    expect([model.flips, model.restarts.size]).toEqual([0, 0]);
  });

  test("of an image ends without an agent, and one of env does not", () => {
    const image = new PodModel([template(BASE), template({ ...BASE, app: "app:2" })]);
    const env = new PodModel([template(BASE), template({ ...BASE, config: "two" })]);
    for (const model of [image, env]) {
      model.controllerBegins(1, 0);
      for (let round = 0; round < 5; round++) {
        model.everybodyActs();
        model.agentFallsSilent();
      }
    }
    expectAt(image, { ...BASE, app: "app:2" });
    expect(env.flips).toBe(0);
  });

  test("of an env is put into service on the agent's word, before pod status shows the new container", () => {
    const model = new PodModel([template(BASE), template({ ...BASE, config: "two" })]);
    model.controllerBegins(1, 0);
    model.controllerRequests();
    model.agentStops();
    model.kubeletLooks();
    model.kubeletSyncs();
    expect(model.controllerRefreshes()).toBe("wait");
    model.agentReports();
    expect(model.controllerRefreshes()).toBe("complete");
    expect([model.flips, model.wrongFlips]).toEqual([1, 0]);
    expect(model.pod.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(model.controllerRefreshes()).toBe("none");
  });
});
