import type { NodeImage } from "../../../src/api/node-image.js";
import { nodeOf, ObjectHistory, Reads } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** What is reported to have come to its end, and known to be, is not pulled again. */
export const pullsOnce: Invariant = {
  name: "pulls-once",
  check(entries) {
    const objects = new ObjectHistory("nodeimages");
    const reads = new Reads("nodeimages");
    /** The round that each pull is for. */
    const underWay = new Map<string, string>();
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
      const known = objects.asOfRevision(nodeOf(actor) ?? "", reads.by(actor, atMs) ?? 0)?.object as NodeImage | undefined;
      const round = roundOf(known, subject);
      if (underWay.get(pull) === round) report(atMs, `${actor} pulls ${subject} twice at a time`);
      underWay.set(pull, round);
      if (known !== undefined && isReported(known, subject)) report(atMs, `${actor} pulls ${subject} although it has reported it`);
    }
    return violations;
  },
};

/** One object's wish for one version of an image: another one takes the place of a pull that is under way. */
function roundOf(known: NodeImage | undefined, reference: string): string {
  const asked = known && tagOf(known, reference).asked;
  return `${known?.metadata.uid ?? ""} ${String(asked?.version)}`;
}

/** The round that the spec asks for has ended, well or not. */
function isReported(known: NodeImage, reference: string): boolean {
  const { asked, told } = tagOf(known, reference);
  return asked !== undefined && told?.completionTime !== undefined && (told.version ?? 0) === (asked.version ?? 0);
}

function tagOf({ spec, status }: NodeImage, reference: string) {
  const at = reference.lastIndexOf(":");
  const [image, tag] = [reference.slice(0, at), reference.slice(at + 1)];
  const asked = spec?.images?.[image]?.tags.find((candidate) => candidate.tag === tag);
  const told = status?.imageStatuses?.[image]?.tags.find((candidate) => candidate.tag === tag);
  return { asked, told };
}
