import type { NodeImage } from "../../../src/api/node-image.js";
import { nodeOf, ObjectHistory, Reads } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** What is reported as pulled, and known to be, is not pulled again. */
export const pullsOnce: Invariant = {
  name: "pulls-once",
  check(entries) {
    const objects = new ObjectHistory("nodeimages");
    const reads = new Reads("nodeimages");
    const underWay = new Set<string>();
    const violations: Violation[] = [];
    const report = (atMs: number, message: string): void => void violations.push({ invariant: "pulls-once", atMs, message });
    for (const entry of entries) {
      objects.add(entry);
      reads.add(entry);
      // Who was told that a connection broke, or waited too long, may ask again.
      if (entry.type === "fault") underWay.clear();
      if (entry.type !== "step" || entry.step !== "pull-image") continue;
      const { actor, subject, phase, atMs } = entry;
      const pull = `${actor} ${subject}`;
      if (phase === "received") underWay.delete(pull);
      if (phase !== "before") continue;
      if (underWay.has(pull)) report(atMs, `${actor} pulls ${subject} twice at a time`);
      underWay.add(pull);
      const known = objects.asOfRevision(nodeOf(actor) ?? "", reads.by(actor, atMs) ?? 0)?.object;
      if (known !== undefined && isReported(known as unknown as NodeImage, subject))
        report(atMs, `${actor} pulls ${subject} although it has reported it`);
    }
    return violations;
  },
};

/** The job's round that the spec asks for has succeeded. */
function isReported({ spec, status }: NodeImage, reference: string): boolean {
  const at = reference.lastIndexOf(":");
  const [image, tag] = [reference.slice(0, at), reference.slice(at + 1)];
  const asked = spec?.images?.[image]?.tags.find((candidate) => candidate.tag === tag);
  const told = status?.imageStatuses?.[image]?.tags.find((candidate) => candidate.tag === tag);
  return asked !== undefined && told?.phase === "Succeeded" && (told.version ?? 0) === (asked.version ?? 0);
}
