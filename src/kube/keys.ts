import type { KubeObject } from "../api/meta.js";
import type { ObjectName } from "./client.js";
import type { ObjectKey } from "./store.js";

/** The key under which stores and queues know an object. */
export function keyOf(object: KubeObject): ObjectKey {
  return keyOfName(object.metadata);
}

/** The key of an object known by name. */
export function keyOfName(name: ObjectName): ObjectKey {
  return name.namespace === undefined ? name.name : `${name.namespace}/${name.name}`;
}

/** The name in a key; the reverse of `keyOfName`. */
export function nameOfKey(key: ObjectKey): ObjectName {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
