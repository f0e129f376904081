import { isObject, type JsonObject, listOf } from "./json.js";

const POD_DEFAULTS: JsonObject = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
  enableServiceLinks: true,
};
const CONTAINER_DEFAULTS: JsonObject = { resources: {}, terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" };
const PROBE_DEFAULTS: JsonObject = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

/** A pod's spec with what the real server fills in before it stores it; what admission adds (service account, tolerations, priority) is left out. */
export function withPodDefaults(spec: unknown): unknown {
  if (!isObject(spec)) return spec;
  const lists = Object.fromEntries(
    ["containers", "initContainers"].filter((list) => list in spec).map((list) => [list, listOf(spec[list]).map(withContainerDefaults)]),
  );
  const volumes = "volumes" in spec ? { volumes: listOf(spec["volumes"]).map(withVolumeDefaults) } : {};
  return { ...POD_DEFAULTS, ...spec, ...lists, ...volumes };
}

/** A pod's status as the real server stores it: times of conditions that nobody gave are null. */
export function withStatusDefaults(status: unknown): unknown {
  if (!isObject(status) || !("conditions" in status)) return status;
  const conditions = listOf(status["conditions"]).map((condition) => addTo(condition, { lastProbeTime: null, lastTransitionTime: null }));
  return { ...status, conditions };
}

/** Only what a pod's requests and limits make of it. */
export function qosClassOf(spec: unknown): string {
  const containers = isObject(spec) ? [...listOf(spec["containers"]), ...listOf(spec["initContainers"])].filter(isObject) : [];
  const resources = containers.map(({ resources: asked }) => (isObject(asked) ? asked : {}));
  if (resources.every((asked) => isEmpty(asked["requests"]) && isEmpty(asked["limits"]))) return "BestEffort";
  return resources.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function isEmpty(amounts: unknown): boolean {
  return !isObject(amounts) || Object.keys(amounts).length === 0;
}

function isGuaranteed({ limits, requests }: JsonObject): boolean {
  if (!isObject(limits)) return false;
  const asked = isObject(requests) ? requests : {};
  return ["cpu", "memory"].every((name) => limits[name] !== undefined && (asked[name] ?? limits[name]) === limits[name]);
}

function withContainerDefaults(container: unknown): unknown {
  if (!isObject(container)) return container;
  const probes = Object.fromEntries(PROBES.filter((name) => name in container).map((name) => [name, withProbeDefaults(container[name])]));
  const lists = {
    ...("ports" in container ? { ports: listOf(container["ports"]).map((port) => addTo(port, { protocol: "TCP" })) } : {}),
    ...("env" in container ? { env: listOf(container["env"]).map(withEnvDefaults) } : {}),
  };
  return { ...CONTAINER_DEFAULTS, imagePullPolicy: pullPolicyOf(container["image"]), ...withRequests(container), ...lists, ...probes };
}

/** What only a limit is given for is requested as well. */
function withRequests(container: JsonObject): JsonObject {
  const resources = container["resources"];
  if (!isObject(resources) || !isObject(resources["limits"])) return container;
  const requests = { ...resources["limits"], ...(isObject(resources["requests"]) ? resources["requests"] : {}) };
  return { ...container, resources: { ...resources, requests } };
}

function pullPolicyOf(image: unknown): string {
  const name = typeof image === "string" ? image : "";
  const tag = name.includes("@") ? "digest" : /:([^/:]+)$/.exec(name)?.[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

function withEnvDefaults(entry: unknown): unknown {
  if (!isObject(entry) || !isObject(entry["valueFrom"]) || !isObject(entry["valueFrom"]["fieldRef"])) return entry;
  const fieldRef = addTo(entry["valueFrom"]["fieldRef"], { apiVersion: "v1" });
  return { ...entry, valueFrom: { ...entry["valueFrom"], fieldRef } };
}

function withProbeDefaults(probe: unknown): unknown {
  if (!isObject(probe)) return probe;
  const get = isObject(probe["httpGet"]) ? { httpGet: { path: "/", scheme: "HTTP", ...probe["httpGet"] } } : {};
  return { ...PROBE_DEFAULTS, ...probe, ...get };
}

function withVolumeDefaults(volume: unknown): unknown {
  if (!isObject(volume)) return volume;
  const withMode = ["configMap", "secret", "downwardAPI", "projected"].filter((source) => isObject(volume[source]));
  return { ...volume, ...Object.fromEntries(withMode.map((source) => [source, addTo(volume[source], { defaultMode: 0o644 })])) };
}

function addTo(value: unknown, defaults: JsonObject): unknown {
  return isObject(value) ? { ...defaults, ...value } : value;
}
