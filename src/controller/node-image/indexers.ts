import type { ObjectReference } from "../../api/meta.js";
import type { NodeImage } from "../../api/node-image.js";
import { isJobReference } from "../../core/node-image/tag-owner.js";
import { keyOfName } from "../../kube/keys.js";
import type { Indexer, ObjectKey } from "../../kube/store.js";
import { NODE_IMAGE_INDEX_JOB } from "../dependencies.js";

/** The indexers that the informer of NodeImages must have. */
export const nodeImageIndexers: Readonly<Record<string, Indexer<NodeImage>>> = { [NODE_IMAGE_INDEX_JOB]: jobKeysOf };

/** The key of the job that an owner reference names; undefined when it names something else. */
export function jobKeyOf(owner: ObjectReference): ObjectKey | undefined {
  const { name, namespace } = owner;
  if (!isJobReference(owner) || name === undefined || namespace === undefined) return undefined;
  return keyOfName({ name, namespace });
}

function jobKeysOf({ spec }: NodeImage): readonly ObjectKey[] {
  const owners = Object.values(spec?.images ?? {}).flatMap(({ tags }) => tags.flatMap((tag) => tag.ownerReferences ?? []));
  return [...new Set(owners.flatMap((owner) => jobKeyOf(owner) ?? []))];
}
