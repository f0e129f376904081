import { describe, expect, test } from "@jest/globals";
import { discoveryOf } from "../../../../src/sim/api-server/discovery.js";
import { DEFAULT_KINDS } from "../../../../src/sim/api-server/shipped-kinds.js";

const of = (path: string): unknown => discoveryOf(path, DEFAULT_KINDS);

describe("discoveryOf()", () => {
  test("lists the core version apart from the groups", () => {
    expect(of("/api?timeout=32s")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    const { groups } = of("/apis") as { groups: readonly { name: string }[] };
    expect(groups.map(({ name }) => name).sort()).toEqual(["apps", "apps.kruise.io", "coordination.k8s.io", "node.podmend.io"]);
  });

  test.each([
    { path: "/api/v1", name: "pods", shown: { kind: "Pod", namespaced: true, shortNames: ["po"] } },
    {
      path: "/apis/apps.kruise.io/v1alpha1",
      name: "clonesets",
      shown: { kind: "CloneSet", singularName: "cloneset", shortNames: ["clone"] },
    },
    { path: "/apis/apps.kruise.io/v1beta1", name: "nodeimages", shown: { kind: "NodeImage", namespaced: false } },
  ])("lists $name at $path", ({ path, name, shown }) => {
    const { resources } = of(path) as { resources: readonly { name: string }[] };
    expect(resources.find((resource) => resource.name === name)).toMatchObject(shown);
    expect(resources.map((resource) => resource.name)).toContain(`${name}/status`);
  });

  test("says at each version's OpenAPI path that the server checks fields itself", () => {
    const { paths } = of("/openapi/v3") as { paths: Readonly<Record<string, { serverRelativeURL: string }>> };
    const { serverRelativeURL = "" } = paths["apis/apps.kruise.io/v1alpha1"] ?? {};
    expect(JSON.stringify(of(serverRelativeURL))).toContain('"fieldValidation"');
  });

  test.each(["/apis/none/v1", "/api/v2", "/apis/v1", "/healthz", "/api/v1/pods", "/apis/apps.kruise.io/v1alpha1/clonesets"])(
    "leaves %s to others",
    (path) => {
      expect(of(path)).toBeUndefined();
    },
  );
});
