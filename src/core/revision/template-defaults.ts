import type { PodTemplate } from "../../api/pod.js";
import { parseImageReference } from "../values/image-reference.js";
import { isJsonObject, type JsonObject } from "../values/json-object.js";
import { goTemplate } from "./go-template.js";

const FILE_MODE = 0o644;

/**
 * The pod template with everything that OpenKruise's admission would have filled in, written as its controller would write it; this is
 * what a revision's name is made of.
 *
 * Only what a template gets is filled in: requests are not copied from limits, enableServiceLinks and serviceAccount stay as they
 * are, since the API server does that to the pod itself. Applying it twice changes nothing. @throws never
 * Source: spec/in-place-update.md 2.4; the values are those of k8s.io/kubernetes@v1.35.4 pkg/apis/core/v1.
 */
export function defaultTemplate(template: PodTemplate): PodTemplate {
  const written = goTemplate(template);
  const spec = written["spec"];
  return (isJsonObject(spec) ? { ...written, spec: defaultSpec(spec) } : written) as unknown as PodTemplate;
}

function defaultSpec(spec: JsonObject): JsonObject {
  return {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    ...spec,
    ...eachIn(spec, "volumes", defaultVolume),
    ...eachIn(spec, "containers", (container) => defaultContainer(container, "Always")),
    ...eachIn(spec, "initContainers", (container) => defaultContainer(container, pullPolicyByTag(container["image"]))),
  };
}

// Only main containers are pulled always: an in-place update changes their image, and no other.
function defaultContainer(container: JsonObject, imagePullPolicy: string): JsonObject {
  return {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy,
    ...container,
    ...eachIn(container, "ports", (port) => ({ protocol: "TCP", ...port })),
    ...eachIn(container, "env", (entry) => ({ ...entry, ...within(entry, "valueFrom", defaultFieldRef) })),
    ...within(container, "livenessProbe", defaultProbe),
    ...within(container, "readinessProbe", defaultProbe),
    ...within(container, "startupProbe", defaultProbe),
    ...within(container, "lifecycle", (lifecycle) => ({
      ...lifecycle,
      ...within(lifecycle, "postStart", defaultHandler),
      ...within(lifecycle, "preStop", defaultHandler),
    })),
  };
}

function defaultProbe(probe: JsonObject): JsonObject {
  return { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...defaultHandler(probe) };
}

function defaultHandler(handler: JsonObject): JsonObject {
  return { ...handler, ...within(handler, "httpGet", (action) => ({ path: "/", scheme: "HTTP", ...action })) };
}

function defaultVolume(volume: JsonObject): JsonObject {
  const hasSource = Object.keys(volume).some((key) => key !== "name");
  return {
    ...volume,
    ...(hasSource ? {} : { emptyDir: {} }),
    ...within(volume, "hostPath", (source) => ({ type: "", ...source })),
    ...within(volume, "secret", defaultMode),
    ...within(volume, "configMap", defaultMode),
    ...within(volume, "downwardAPI", (source) => defaultItems(defaultMode(source))),
    ...within(volume, "projected", (source) => defaultMode({ ...source, ...eachIn(source, "sources", defaultProjection) })),
  };
}

function defaultProjection(source: JsonObject): JsonObject {
  return {
    ...source,
    ...within(source, "downwardAPI", defaultItems),
    ...within(source, "serviceAccountToken", (token) => ({ expirationSeconds: 3600, ...token })),
  };
}

function defaultMode(source: JsonObject): JsonObject {
  return { defaultMode: FILE_MODE, ...source };
}

function defaultItems(source: JsonObject): JsonObject {
  return { ...source, ...eachIn(source, "items", defaultFieldRef) };
}

function defaultFieldRef(holder: JsonObject): JsonObject {
  return { ...holder, ...within(holder, "fieldRef", (selector) => ({ apiVersion: "v1", ...selector })) };
}

function pullPolicyByTag(image: unknown): string {
  const reference = typeof image === "string" ? parseImageReference(image) : undefined;
  if (reference === undefined) return "IfNotPresent";
  const tag = reference.tag ?? (reference.digest === undefined ? "latest" : "");
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** The member with its change, ready to be spread; nothing when it is no object. */
function within(holder: JsonObject, key: string, change: (member: JsonObject) => JsonObject): JsonObject {
  const member = Object.hasOwn(holder, key) ? holder[key] : undefined;
  return isJsonObject(member) ? { [key]: change(member) } : {};
}

function eachIn(holder: JsonObject, key: string, change: (element: JsonObject) => JsonObject): JsonObject {
  const list = Object.hasOwn(holder, key) ? holder[key] : undefined;
  return Array.isArray(list) ? { [key]: list.map((element: unknown) => (isJsonObject(element) ? change(element) : element)) } : {};
}
