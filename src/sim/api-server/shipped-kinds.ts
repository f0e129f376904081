import type { CelEngine } from "../cel/cel-engine.js";
import { SHIPPED_OBJECTS } from "./gen/manifests.js";
import { kindsOfDefinition } from "./schema/custom-resource.js";
import { BUILT_IN_KINDS, type ServedKind } from "./served-kinds.js";

/**
 * The built-in kinds that we touch, and ours as an installation defines them: with their schemas, in the version that is stored.
 * @param cel absent: the schemas' rules in CEL are not checked
 */
export function shippedKinds(cel?: CelEngine): readonly ServedKind[] {
  const definitions = SHIPPED_OBJECTS.filter((object) => object["kind"] === "CustomResourceDefinition");
  return [...BUILT_IN_KINDS, ...definitions.flatMap((definition) => kindsOfDefinition(definition, cel))];
}

/** What a model serves unless told otherwise. */
export const DEFAULT_KINDS: readonly ServedKind[] = shippedKinds();
