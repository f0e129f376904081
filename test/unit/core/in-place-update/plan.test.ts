import { describe, expect, test } from "@jest/globals";
import type { StringMap } from "../../../../src/api/meta.js";
import type { Container, Pod, PodTemplate } from "../../../../src/api/pod.js";
import { planUpdate } from "../../../../src/core/in-place-update/plan.js";
import { makePod, makeTemplate, metadataEnv } from "./fixtures.js";

const FROM = makeTemplate();
const APP: Container = { name: "app", image: "lab.local/app:v1", env: [metadataEnv("CONFIG", "config")] };
const SIDE: Container = { name: "side", image: "lab.local/app:v1" };

function plan(to: PodTemplate, options: { from?: PodTemplate; pod?: Pod; envFromMetadata?: boolean } = {}) {
  const from = options.from ?? FROM;
  return planUpdate({ pod: options.pod ?? makePod({ template: from }), from, to, envFromMetadata: options.envFromMetadata ?? true });
}

function withSpec(change: object): PodTemplate {
  return { ...FROM, spec: { ...FROM.spec, ...change } };
}

function withApp(change: object): PodTemplate {
  return makeTemplate({ containers: [{ ...APP, ...change }, SIDE] });
}

function annotated(annotations: StringMap, containers?: readonly Container[]): PodTemplate {
  return makeTemplate({ annotations, ...(containers === undefined ? {} : { containers }) });
}

describe("planUpdate() in place", () => {
  test("an image changes one container", () => {
    expect(plan(withApp({ image: "lab.local/app:v2" }))).toEqual({
      possible: true,
      changes: { images: { app: "lab.local/app:v2" }, refMetadata: {}, metadata: {}, envContainers: [] },
      restarts: ["app"],
    });
  });

  test("a label that nobody reads changes without a restart", () => {
    expect(plan(makeTemplate({ labels: { app: "web", tier: "front" } }))).toEqual({
      possible: true,
      changes: { images: {}, refMetadata: {}, metadata: { labels: { tier: "front" } }, envContainers: [] },
      restarts: [],
    });
  });

  test("an annotation that one container reads restarts that container", () => {
    expect(plan(annotated({ config: "two", note: "x" }))).toEqual({
      possible: true,
      changes: {
        images: {},
        refMetadata: { app: { annotations: { config: "two" } } },
        metadata: { annotations: { note: "x" } },
        envContainers: ["app"],
      },
      restarts: ["app"],
    });
  });

  test("with the gate off the annotation changes without a restart", () => {
    expect(plan(annotated({ config: "two" }), { envFromMetadata: false })).toMatchObject({
      changes: { refMetadata: {}, metadata: { annotations: { config: "two" } } },
      restarts: [],
    });
  });

  test("the first annotation of a template without any restarts its reader (BUG-6)", () => {
    const from: PodTemplate = { ...FROM, metadata: { labels: { app: "web" } } };
    expect(plan(annotated({ config: "one" }), { from })).toMatchObject({
      changes: { refMetadata: { app: { annotations: { config: "one" } } }, metadata: {} },
      restarts: ["app"],
    });
  });

  test("metadata that appears as a whole counts key by key", () => {
    expect(plan(makeTemplate(), { from: { spec: FROM.spec } })).toMatchObject({ possible: true, restarts: ["app"] });
  });

  test("a removed annotation restarts its reader and is removed by the plain patch (BUG-6)", () => {
    expect(plan(annotated({}))).toEqual({
      possible: true,
      changes: { images: {}, refMetadata: {}, metadata: { annotations: { config: null } }, envContainers: ["app"] },
      restarts: ["app"],
    });
  });

  test.each(["a/b", "a~b", "a~1b", "example.com/co~nf'ig", "constructor", "__proto__"])("key %s is taken as it is", (key) => {
    const containers = [{ ...APP, env: [metadataEnv("CONFIG", key)] }, SIDE];
    const to = annotated(Object.fromEntries([[key, "new"]]), containers);
    const result = plan(to, { from: annotated(Object.fromEntries([[key, "old"]]), containers) });
    expect(result).toMatchObject({ restarts: ["app"] });
    expect(result.possible && Object.entries(result.changes.refMetadata["app"]?.annotations ?? {})).toEqual([[key, "new"]]);
  });

  test("a container that only the pod has, injected by somebody, counts as a reader", () => {
    const pod = makePod({
      template: makeTemplate({ containers: [APP, SIDE, { name: "proxy", image: "p:1", env: [metadataEnv("C", "config")] }] }),
    });
    expect(plan(annotated({ config: "two" }), { pod })).toMatchObject({ restarts: ["app", "proxy"] });
  });

  test("SidecarSet's version variables are no readers", () => {
    const pod = makePod({
      template: makeTemplate({ containers: [{ ...SIDE, name: "app", env: [metadataEnv("SIDECARSET_VERSION", "config")] }, SIDE] }),
    });
    expect(plan(annotated({ config: "two" }), { pod })).toMatchObject({ restarts: [] });
  });

  test("a hand-edited image survives when another container changes, and an image that is there already is no change", () => {
    const pod = makePod({
      template: makeTemplate({
        containers: [
          { ...APP, image: "lab.local/app:v2" },
          { ...SIDE, image: "hand:1" },
        ],
      }),
    });
    expect(plan(withApp({ image: "lab.local/app:v2" }), { pod })).toMatchObject({ changes: { images: {} }, restarts: [] });
    expect(plan(withApp({ image: "lab.local/app:v3" }), { pod })).toMatchObject({ changes: { images: { app: "lab.local/app:v3" } } });
  });

  test("finalizers of the template are added and removed by value", () => {
    const from = { ...FROM, metadata: { ...FROM.metadata, finalizers: ["a/a", "b/b"] } };
    const to = { ...FROM, metadata: { ...FROM.metadata, finalizers: ["b/b", "c/c"] } };
    expect(plan(to, { from })).toMatchObject({
      changes: { metadata: { finalizers: ["c/c"], "$deleteFromPrimitiveList/finalizers": ["a/a"] } },
    });
  });

  test("null and absent fields are the same (BUG-30)", () => {
    const to = { ...withSpec({ dnsPolicy: null }), metadata: { ...FROM.metadata, creationTimestamp: null } } as unknown as PodTemplate;
    expect(plan(to)).toMatchObject({ possible: true, restarts: [] });
  });

  test("the same template is an empty change", () => {
    expect(plan(FROM)).toEqual({
      possible: true,
      changes: { images: {}, refMetadata: {}, metadata: {}, envContainers: [] },
      restarts: [],
    });
  });
});

describe("planUpdate() recreates", () => {
  const cases: readonly (readonly [field: string, to: PodTemplate])[] = [
    ["spec.containers[0].env[1]", withApp({ env: [...(APP.env ?? []), { name: "A", value: "1" }] })],
    ["spec.containers[0].env[0].name", withApp({ env: [metadataEnv("OTHER", "config")] })],
    ["spec.containers[0].command", withApp({ command: ["sh"] })],
    ["spec.containers[0].args", withApp({ args: ["-c"] })],
    ["spec.containers[0].ports", withApp({ ports: [{ containerPort: 80 }] })],
    ["spec.containers[0].resources", withApp({ resources: { limits: { cpu: "1" } } })],
    ["spec.containers[0].resizePolicy", withApp({ resizePolicy: [] })],
    ["spec.containers[0].volumeMounts", withApp({ volumeMounts: [{ name: "a", mountPath: "/a" }] })],
    ["spec.containers[0].livenessProbe", withApp({ livenessProbe: {} })],
    ["spec.containers[0].readinessProbe", withApp({ readinessProbe: {} })],
    ["spec.containers[0].lifecycle", withApp({ lifecycle: {} })],
    ["spec.containers[0].imagePullPolicy", withApp({ imagePullPolicy: "Always" })],
    ["spec.containers[0].securityContext", withApp({ securityContext: {} })],
    ["spec.containers[0].image", withApp({ image: undefined })],
    ["spec.containers[0].name", makeTemplate({ containers: [{ ...APP, name: "renamed" }, SIDE] })],
    ["spec.containers[0].name", makeTemplate({ containers: [SIDE, APP] })],
    ["spec.containers[1]", makeTemplate({ containers: [APP] })],
    ["spec.containers[2]", makeTemplate({ containers: [APP, SIDE, { name: "third", image: "x" }] })],
    ["spec.initContainers", withSpec({ initContainers: [{ name: "init", image: "x" }] })],
    ["spec.volumes", withSpec({ volumes: [{ name: "a" }] })],
    ["spec.tolerations", withSpec({ tolerations: [{ key: "a" }] })],
    ["spec.nodeSelector", withSpec({ nodeSelector: { a: "b" } })],
    ["spec.affinity", withSpec({ affinity: {} })],
    ["spec.terminationGracePeriodSeconds", withSpec({ terminationGracePeriodSeconds: 5 })],
    ["spec.readinessGates", withSpec({ readinessGates: [{ conditionType: "X" }] })],
    ["spec.serviceAccountName", withSpec({ serviceAccountName: "x" })],
    ["spec.hostNetwork", withSpec({ hostNetwork: true })],
    ["metadata.name", { ...FROM, metadata: { ...FROM.metadata, name: "x" } }],
    ["metadata.ownerReferences", { ...FROM, metadata: { ...FROM.metadata, ownerReferences: [] } }],
  ];
  test.each(cases)("when %s changes, alone or with an image, and says so", (field, to) => {
    expect(plan(to)).toEqual({ possible: false, reason: `${field} changed` });
    const image = to.spec.containers.map((container) =>
      container.name === "side" ? { ...container, image: "lab.local/app:v9" } : container,
    );
    expect(plan({ ...to, spec: { ...to.spec, containers: image } })).toMatchObject({ possible: false });
  });

  test("an init container's image is no app container's image", () => {
    const from = withSpec({ initContainers: [{ name: "init", image: "x:1" }] });
    const to = withSpec({ initContainers: [{ name: "init", image: "x:2" }] });
    expect(plan(to, { from })).toEqual({ possible: false, reason: "spec.initContainers[0].image changed" });
  });

  test("when the pod's revision is gone", () => {
    expect(planUpdate({ pod: makePod(), from: undefined, to: FROM, envFromMetadata: true })).toEqual({
      possible: false,
      reason: "the revision that the pod is at no longer exists",
    });
  });

  test("when the pod lacks the container", () => {
    const pod = makePod({ template: makeTemplate({ containers: [SIDE] }) });
    expect(plan(withApp({ image: "x:2" }), { pod })).toEqual({ possible: false, reason: 'the pod has no container "app"' });
  });

  test("when env changes and the pod has no readiness gate (BUG-10), but not for an image", () => {
    const pod = makePod({ gates: [] });
    expect(plan(annotated({ config: "two" }), { pod })).toEqual({
      possible: false,
      reason: 'container "app" reads changed metadata and the pod has no readiness gate InPlaceUpdateReady',
    });
    expect(plan(withApp({ image: "lab.local/app:v2" }), { pod })).toMatchObject({ possible: true });
  });

  test("is impossible for an env of a container that would not come back after its stop", () => {
    const to = makeTemplate({ annotations: { config: "two" }, containers: [{ ...APP, restartPolicy: "Never" }, SIDE] });
    const from = { ...to, metadata: { ...to.metadata, annotations: { config: "one" } } };
    const pod = makePod({ template: from });
    expect(plan(to, { from, pod })).toMatchObject({ possible: false, reason: expect.stringContaining("would not come back") });
    const never = { ...makePod(), spec: { ...makePod().spec, restartPolicy: "OnFailure" } };
    expect(plan(makeTemplate({ annotations: { config: "two" } }), { pod: never })).toMatchObject({ possible: false });
    expect(plan(withApp({ image: "x:2" }), { pod: never })).toMatchObject({ possible: true });
  });
});

describe("planUpdate() leaves the pod alone", () => {
  const barrier = (priority: number) => [
    { name: "KRUISE_CONTAINER_BARRIER", valueFrom: { configMapKeyRef: { name: "web-0-barrier", key: `p_${priority}` } } },
  ];
  const pod = (side: number) =>
    makePod({
      template: makeTemplate({
        containers: [
          { ...APP, env: barrier(10) },
          { ...SIDE, env: barrier(side) },
        ],
      }),
    });
  const both = makeTemplate({
    containers: [
      { ...APP, image: "x:2" },
      { ...SIDE, image: "x:2" },
    ],
  });

  test("when changed containers have different launch priorities", () => {
    expect(plan(both, { pod: pod(-5) })).toEqual({
      possible: false,
      unsupported: true,
      reason: "container launch priority is not implemented yet",
    });
    expect(plan(both, { pod: pod(10) })).toMatchObject({ possible: true });
    expect(plan(withApp({ image: "x:2" }), { pod: pod(-5) })).toMatchObject({ possible: true });
  });

  test("when OpenKruise left a resource change to do", () => {
    const state =
      '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":null,"nextContainerResources":{"app":{"limits":{"cpu":"1"}}}}';
    const waiting = makePod({ annotations: { "apps.kruise.io/inplace-update-state": state } });
    expect(plan(withApp({ image: "x:2" }), { pod: waiting })).toMatchObject({ possible: false, unsupported: true });
  });
});

describe("planUpdate() takes over what an unfinished update owes (BUG-1)", () => {
  const updating = (annotations: StringMap) => makePod({ lifecycle: "Updating", annotations });

  test("the next images and metadata of a batch that never ran", () => {
    const state =
      '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":null,"updateImages":true,"nextContainerImages":{"app":"lab.local/app:v2"},"nextContainerRefMetadata":{"app":{"annotations":{"config":"two"}}}}';
    const from = makeTemplate({ annotations: { config: "two" }, containers: [{ ...APP, image: "lab.local/app:v2" }, SIDE] });
    const to = makeTemplate({
      annotations: { config: "two" },
      containers: [
        { ...APP, image: "lab.local/app:v2" },
        { ...SIDE, image: "side:2" },
      ],
    });
    expect(plan(to, { from, pod: updating({ "apps.kruise.io/inplace-update-state": state }) })).toEqual({
      possible: true,
      changes: {
        images: { app: "lab.local/app:v2", side: "side:2" },
        refMetadata: { app: { annotations: { config: "two" } } },
        metadata: {},
        envContainers: ["app"],
      },
      restarts: ["app", "side"],
    });
  });

  test("what waits for a grace period, unless the newer template changes it again", () => {
    const grace =
      '{"revision":"r","containerImages":{"app":"lab.local/app:v2","side":"side:2"},"metaDataPatch":"eyJtZXRhZGF0YSI6eyJsYWJlbHMiOnsidGllciI6ImZyb250In19fQ==","graceSeconds":5}';
    const from = makeTemplate({
      labels: { app: "web", tier: "front" },
      containers: [
        { ...APP, image: "lab.local/app:v2" },
        { ...SIDE, image: "side:2" },
      ],
    });
    const to = makeTemplate({
      labels: { app: "web", tier: "front" },
      containers: [
        { ...APP, image: "lab.local/app:v1" },
        { ...SIDE, image: "side:2" },
      ],
    });
    expect(plan(to, { from, pod: updating({ "apps.kruise.io/inplace-update-grace": grace }) })).toMatchObject({
      changes: { images: { side: "side:2" }, metadata: { labels: { tier: "front" } } },
      restarts: ["side"],
    });
  });

  test("everything that the template owns, when the annotations are broken", () => {
    const to = makeTemplate({ annotations: { config: "two" }, containers: [{ ...APP, image: "lab.local/app:v2" }, SIDE] });
    expect(plan(to, { from: to, pod: updating({ "apps.kruise.io/inplace-update-grace": "{" }) })).toMatchObject({
      changes: { images: { app: "lab.local/app:v2" }, refMetadata: { app: { annotations: { config: "two" } } } },
    });
  });

  test("nothing of a settled pod, whatever its state annotation says", () => {
    const pod = makePod({ annotations: { "apps.kruise.io/inplace-update-state": "{" } });
    expect(plan(FROM, { pod })).toMatchObject({ possible: true, restarts: [] });
  });
});
