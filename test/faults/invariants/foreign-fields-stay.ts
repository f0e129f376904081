import { FOREIGN_ANNOTATION } from "../faults/user-faults.js";
import type { Invariant, Violation } from "./invariant.js";
import { asPod } from "./pod-views.js";

/** What others write on a pod is still there after every write of ours. */
export const foreignFieldsStay: Invariant = {
  name: "foreign-fields-stay",
  check(entries) {
    const annotated = new Set<string>();
    const has = new Set<string>();
    const violations: Violation[] = [];
    for (const entry of entries) {
      if (entry.type === "user" && entry.action === "annotates") annotated.add(entry.subject);
      if (entry.type !== "object" || entry.plural !== "pods") continue;
      const { uid, name } = entry.object.metadata;
      const isThere = asPod(entry.object).metadata.annotations?.[FOREIGN_ANNOTATION] !== undefined;
      if (isThere) has.add(uid);
      else if (annotated.has(uid) && has.delete(uid)) {
        const message = `pod "${name}" has lost an annotation of somebody else`;
        violations.push({ invariant: "foreign-fields-stay", atMs: entry.atMs, message });
      }
    }
    return violations;
  },
};
