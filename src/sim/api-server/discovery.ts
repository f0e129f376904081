import type { JsonObject } from "./json.js";
import { apiVersionOf } from "./served-kinds.js";
import type { ServedKind } from "./served-kinds.js";

const VERSION = { major: "1", minor: "35", gitVersion: "v1.35.0+podmend-model", platform: "model" };
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  pods: ["po"],
  nodes: ["no"],
  namespaces: ["ns"],
  events: ["ev"],
  configmaps: ["cm"],
  persistentvolumeclaims: ["pvc"],
  clonesets: ["clone"],
  nodepodrestarts: ["npr"],
};

/** What the server says about itself at the paths that are no resource's; undefined: nothing is there. */
export function discoveryOf(path: string, kinds: readonly ServedKind[]): JsonObject | undefined {
  const { pathname } = new URL(path, "http://model");
  if (pathname === "/version") return VERSION;
  if (pathname === "/api") return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  if (pathname === "/apis") return groupList(kinds);
  if (pathname === "/openapi/v3") return openApiRoot(kinds);
  const [, root, groupVersion = ""] = /^\/(api|apis|openapi\/v3\/api|openapi\/v3\/apis)\/(.+)$/.exec(pathname) ?? [];
  const served = kinds.filter((kind) => apiVersionOf(kind) === groupVersion && (kind.group === "") === root?.endsWith("api"));
  if (served.length === 0) return undefined;
  return root?.startsWith("openapi") === true ? openApi(served) : resourceList(groupVersion, served);
}

function groupList(kinds: readonly ServedKind[]): JsonObject {
  const names = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== "");
  const groups = names.map((name) => {
    const versions = [...new Set(kinds.filter(({ group }) => group === name).map(({ version }) => version))];
    const listed = versions
      .sort()
      .reverse()
      .map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: listed, preferredVersion: listed[0] };
  });
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

const VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"];

function resourceList(groupVersion: string, kinds: readonly ServedKind[]): JsonObject {
  const resources = kinds.flatMap((kind) => {
    const { plural, namespaced, hasStatus } = kind;
    const common = { namespaced, kind: kind.kind };
    const shortNames = SHORT_NAMES[plural] ?? [];
    const whole = { name: plural, singularName: kind.kind.toLowerCase(), ...common, verbs: VERBS, shortNames };
    const part = (name: string, verbs: readonly string[]): object => ({ name: `${plural}/${name}`, singularName: "", ...common, verbs });
    const parts = [
      ...(hasStatus ? [part("status", ["get", "patch", "update"])] : []),
      ...(plural === "pods" ? [part("log", ["get"])] : []),
    ];
    return [whole, ...parts];
  });
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function openApiRoot(kinds: readonly ServedKind[]): JsonObject {
  const roots = new Set(kinds.map((kind) => `${kind.group === "" ? "api" : "apis"}/${apiVersionOf(kind)}`));
  return { paths: Object.fromEntries([...roots].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }])) };
}

/** Just enough for kubectl to leave the checking of fields to the server. */
function openApi(kinds: readonly ServedKind[]): JsonObject {
  const parameters = [{ name: "fieldValidation", in: "query", schema: { type: "string" } }];
  const paths = kinds.map(({ group, version, kind, plural }) => {
    const patch = { parameters, responses: {}, "x-kubernetes-group-version-kind": { group, version, kind } };
    return [`/${plural}/{name}`, { patch }] as const;
  });
  return { openapi: "3.0.0", info: { title: "Podmend's model", version: "1" }, paths: Object.fromEntries(paths) };
}
