import { beforeEach, describe, expect, test } from "@jest/globals";
import { CLONE_SETS, CONTROLLER_REVISIONS, NODES, PODS } from "../../../../src/api/resources.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { FakeClock } from "../../../support/fake-clock.js";

let clock: FakeClock;
let state: ApiState;

beforeEach(() => {
  clock = new FakeClock();
  state = new ApiState({ clock, podTerminationMs: 1_000 });
});

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a:1" }] } };
const set = { selector: { matchLabels: { app: "a" } }, template };
const STATUS = { replicas: 1, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 1, updatedReadyReplicas: 0 };
const web = { namespace: "shop", name: "web" };
const mergePatch = (body: unknown): { contentType: string; body: unknown } => ({ contentType: "application/merge-patch+json", body });

function refused(act: () => unknown): unknown {
  try {
    act();
    return "accepted";
  } catch (error) {
    const { code, reason } = error as { code?: number; reason?: string };
    return `${code} ${reason}`;
  }
}

describe("ApiState writes", () => {
  test("a write that changes nothing keeps the resourceVersion", () => {
    const made = state.create(CLONE_SETS, { metadata: { name: "web" }, spec: { ...set, replicas: 1 } }, "shop");
    expect(state.patch(CLONE_SETS, web, mergePatch({ spec: { replicas: 1 } })).metadata.resourceVersion).toBe(
      made.metadata.resourceVersion,
    );
  });

  test("generation counts changes of the spec only", () => {
    state.create(CLONE_SETS, { metadata: { name: "web" }, spec: { ...set, replicas: 1 } }, "shop");
    const generation = (): unknown => state.get(CLONE_SETS, web).metadata.generation;
    state.patch(CLONE_SETS, web, mergePatch({ metadata: { labels: { a: "1" } } }));
    state.patch(CLONE_SETS, web, { ...mergePatch({ status: STATUS }), subresource: "status" });
    expect(generation()).toBe(1);
    state.patch(CLONE_SETS, web, mergePatch({ spec: { replicas: 2 } }));
    expect(generation()).toBe(2);
  });

  test("generateName makes a name of its own", () => {
    const names = [1, 2].map(() => state.create(PODS, { metadata: { generateName: "web-" } }, "shop").metadata.name);
    expect(names[0]).toMatch(/^web-\w{5}$/);
    expect(new Set(names).size).toBe(2);
  });

  test("refuses what the real server refuses", () => {
    const made = state.create(PODS, { metadata: { name: "web" }, spec: { containers: [{ name: "a", image: "a:1" }] } }, "shop");
    const patch = (body: unknown): unknown => refused(() => state.patch(PODS, web, mergePatch(body)));
    expect(patch({ metadata: { resourceVersion: "1" } })).toBe("409 Conflict");
    expect(patch({ metadata: { uid: "other" } })).toBe("422 Invalid");
    expect(patch({ spec: { containers: [{ name: "a", image: "a:2", env: [] }] } })).toBe("422 Invalid");
    expect(patch({ spec: { containers: [{ name: "a", image: "a:2" }] } })).toBe("accepted");
    expect(patch({ spec: { nodeName: "n1" } })).toBe("accepted"); // stands for binding
    expect(patch({ spec: { nodeName: "n2" } })).toBe("422 Invalid");
    expect(refused(() => state.create(PODS, { metadata: { name: "web" } }, "shop"))).toBe("409 AlreadyExists");
    expect(refused(() => state.create(PODS, made, "shop"))).toBe("500 undefined"); // with its resourceVersion
    expect(refused(() => state.create(PODS, { metadata: { name: "x", namespace: "a" } }, "b"))).toBe("400 BadRequest");
    expect(refused(() => state.create(PODS, { metadata: {} }, "b"))).toBe("422 Invalid");
    expect(refused(() => state.replace(PODS, web, { body: { ...made, metadata: { ...made.metadata, uid: "x" } } }))).toBe("409 Conflict");
  });
});

describe("ApiState deletions", () => {
  test("a pod on a node is marked first and gone when its kubelet has ended it; one without a node goes at once", async () => {
    state.create(PODS, { metadata: { name: "web" }, spec: { nodeName: "n1", containers: [] } }, "shop");
    const { object, isGone } = state.delete(PODS, web);
    expect([isGone, object.metadata.deletionGracePeriodSeconds]).toEqual([false, 30]);
    await clock.advance(999);
    expect(state.list(PODS).length).toBe(1);
    await clock.advance(1);
    expect(state.list(PODS)).toEqual([]);
    state.create(PODS, { metadata: { name: "web" }, spec: { containers: [] } }, "shop");
    expect(state.delete(PODS, web).isGone).toBe(true);
  });

  test("preconditions of uid and resourceVersion hold", () => {
    const { metadata } = state.create(NODES, { metadata: { name: "n" } });
    expect(refused(() => state.delete(NODES, { name: "n" }, { uid: "other" }))).toBe("409 Conflict");
    expect(refused(() => state.delete(NODES, { name: "n" }, { resourceVersion: "1" }))).toBe("409 Conflict");
    expect(state.delete(NODES, { name: "n" }, { uid: metadata.uid, resourceVersion: metadata.resourceVersion }).isGone).toBe(true);
  });

  test("finalizers keep an object until the last one goes", () => {
    state.create(CLONE_SETS, { metadata: { name: "web", finalizers: ["a/b"] }, spec: set }, "shop");
    expect(state.delete(CLONE_SETS, web).object.metadata.deletionTimestamp).toBeDefined();
    expect(state.get(CLONE_SETS, web).metadata.finalizers).toEqual(["a/b"]);
    state.patch(CLONE_SETS, web, mergePatch({ metadata: { finalizers: null } }));
    expect(state.list(CLONE_SETS)).toEqual([]);
  });

  test("what an owner leaves behind is deleted; orphans and what has another owner lose the reference only", async () => {
    const owner = state.create(CLONE_SETS, { metadata: { name: "web" }, spec: set }, "shop").metadata;
    const owned = (name: string, ...uids: readonly string[]): void => {
      const ownerReferences = uids.map((uid) => ({ apiVersion: "a", kind: "b", name: "c", uid }));
      state.create(PODS, { metadata: { name, ownerReferences }, spec: { containers: [] } }, "shop");
    };
    owned("only", owner.uid);
    owned("shared", owner.uid, "other");
    state.delete(CLONE_SETS, web);
    await clock.advance(100);
    expect(state.list(PODS).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.length])).toEqual([["shared", 1]]);
    const second = state.create(CLONE_SETS, { metadata: { name: "web" }, spec: set }, "shop").metadata;
    owned("orphan", second.uid);
    state.delete(CLONE_SETS, web, { propagationPolicy: "Orphan" });
    await clock.advance(100);
    expect(state.get(PODS, { namespace: "shop", name: "orphan" }).metadata.ownerReferences).toBeUndefined();
  });
});

describe("ApiState pods", () => {
  const spec = { activeDeadlineSeconds: 100, tolerations: [{ key: "a", operator: "Exists" }], containers: [{ name: "a", image: "a:1" }] };
  const problemOf = (body: unknown): string => {
    try {
      state.patch(PODS, web, mergePatch({ spec: body }));
      return "accepted";
    } catch (error) {
      return (error as Error).message.split("\n")[0] ?? "";
    }
  };

  beforeEach(() => void state.create(PODS, { metadata: { name: "web" }, spec }, "shop"));

  interface Change {
    readonly [field: string]: unknown;
    readonly containers?: readonly object[];
  }
  test.each<[string, Change, string]>([
    ["an image", { containers: [{ ...spec.containers[0], name: "a", image: "a:2" }] }, "accepted"],
    ["a shorter deadline", { activeDeadlineSeconds: 99 }, "accepted"],
    ["a longer deadline", { activeDeadlineSeconds: 101 }, "spec.activeDeadlineSeconds: Invalid value: 101: must be less than or equal"],
    ["no deadline", { activeDeadlineSeconds: null }, "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive"],
    ["another toleration beside", { tolerations: [...spec.tolerations, { key: "b", operator: "Exists" }] }, "accepted"],
    ["seconds of a toleration", { tolerations: [{ ...spec.tolerations[0], tolerationSeconds: 5 }] }, "accepted"],
    ["a toleration less", { tolerations: [] }, "spec.tolerations: Forbidden: existing toleration can not be modified"],
    ["a grace period", { terminationGracePeriodSeconds: 5 }, "spec: Forbidden: pod updates may not change fields other than"],
    ["a restart policy", { restartPolicy: "Never" }, "spec: Forbidden: pod updates may not change fields other than"],
    [
      "a container more",
      { containers: [...spec.containers, { name: "b", image: "b" }] },
      "spec.containers: Forbidden: pod updates may not",
    ],
    ["an empty image", { containers: [{ ...spec.containers[0], image: "" }] }, "spec.containers[0].image: Required value"],
    [
      "a padded image",
      { containers: [{ ...spec.containers[0], image: "a:2 " }] },
      'spec.containers[0].image: Invalid value: "a:2 ": must not',
    ],
  ])("a pod may get %s or not, as on the real server", (_what, change, verdict) => {
    const containers = change.containers?.map((container) => ({ ...DEFAULTS, ...container }));
    const told = problemOf({ ...change, ...(containers === undefined ? {} : { containers }) });
    expect(told).toContain(verdict === "accepted" ? verdict : `Pod "web" is invalid: ${verdict}`);
  });

  const DEFAULTS = {
    imagePullPolicy: "IfNotPresent",
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  };

  test("are stored with the real server's defaults", () => {
    expect(state.get(PODS, web)).toMatchObject({
      spec: {
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        containers: [{ ...DEFAULTS, name: "a" }],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
  });
});

describe("ApiState refusals by kind", () => {
  test("the data of a ControllerRevision never changes", () => {
    state.create(CONTROLLER_REVISIONS, { metadata: { name: "web" }, data: { a: 1 }, revision: 1 }, "shop");
    const patch = (body: unknown): unknown => refused(() => state.patch(CONTROLLER_REVISIONS, web, mergePatch(body)));
    expect(patch({ data: { a: 2 } })).toBe("422 Invalid");
    expect(patch({ revision: 2 })).toBe("accepted");
  });

  test("a namespace that is deleted takes nothing new, is emptied, and then goes", async () => {
    const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
    state.create(namespaces, { metadata: { name: "shop" } });
    state.create(PODS, { metadata: { name: "web" }, spec: { nodeName: "n1", containers: [] } }, "shop");
    state.delete(namespaces, { name: "shop" });
    expect(refused(() => state.create(PODS, { metadata: { name: "late" } }, "shop"))).toBe("403 Forbidden");
    expect(refused(() => state.create(PODS, { metadata: { name: "web" } }, "other"))).toBe("accepted");
    await clock.advance(500);
    expect(state.get(namespaces, { name: "shop" })).toMatchObject({ status: { phase: "Terminating" } });
    await clock.advance(2_000);
    expect(state.list(PODS).map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
    expect(state.list(namespaces)).toEqual([]);
  });

  test.each([
    ["a built-in kind", PODS, "json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json"],
    ["a custom resource", CLONE_SETS, "json-patch+json, application/merge-patch+json"],
  ])("an apply patch of %s is refused, naming the types that work", (_what, resource, named) => {
    state.create(resource, { metadata: { name: "web" }, spec: resource === CLONE_SETS ? set : {} }, "shop");
    const apply = (): unknown => state.patch(resource, web, { contentType: "application/apply-patch+yaml", body: {} });
    expect(refused(apply)).toBe("415 UnsupportedMediaType");
    expect(apply).toThrow(new RegExp(`${named.replaceAll("+", "\\+")}$`));
  });
});
