import { describe, expect, test } from "@jest/globals";
import { CLONE_SETS, NODES, PODS } from "../../../src/api/resources.js";
import { requestPath } from "../../../src/kube/request-path.js";

describe("requestPath()", () => {
  test.each([
    ["/api/v1/namespaces/shop/pods/web-0", PODS, { namespace: "shop", name: "web-0" }],
    ["/api/v1/pods", PODS, {}],
    ["/api/v1/nodes/n1/status", NODES, { name: "n1", subresource: "status" as const }],
    ["/apis/apps.kruise.io/v1alpha1/namespaces/a/clonesets", CLONE_SETS, { namespace: "a" }],
    ["/api/v1/nodes/n1", NODES, { namespace: "ignored", name: "n1" }],
    ["/api/v1/namespaces/shop/pods/a%2Fb%3Fc", PODS, { namespace: "shop", name: "a/b?c" }],
  ])("is %s", (want, resource, target) => {
    expect(requestPath(resource, target)).toBe(want);
  });

  test("escapes query values and leaves undefined ones out", () => {
    const query = { labelSelector: "app in (a,b)", limit: 500, continue: undefined, watch: true };
    expect(requestPath(PODS, {}, query)).toBe("/api/v1/pods?labelSelector=app+in+%28a%2Cb%29&limit=500&watch=true");
  });
});
