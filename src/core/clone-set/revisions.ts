import type { CloneSet } from "../../api/clone-set.js";
import { REVISION_HASH, VOLUME_CLAIM_TEMPLATE_HASH } from "../../api/names.js";
import type { ControllerRevision, PodTemplate } from "../../api/pod.js";
import { revisionData, templateOfRevision } from "../revision/revision-data.js";
import { revisionHash, revisionName, shortHash } from "../revision/revision-name.js";
import { defaultTemplate } from "../revision/template-defaults.js";
import { compareGoStrings, goJson } from "../values/go-json.js";
import { remember } from "../values/remember.js";
import { ownerReferenceTo } from "./owner.js";

/** The template of a CloneSet in the form in which revisions keep and compare it. */
export interface RevisionCandidate {
  readonly template: PodTemplate;
  readonly data: unknown;
  readonly text: string;
}

/** Which revision holds the template: one that exists, an older one that becomes the newest again, or a new one. */
export type RevisionDecision =
  | { readonly type: "reuse"; readonly revision: ControllerRevision }
  | { readonly type: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | { readonly type: "create"; readonly number: number };

/** The template with defaults, as the next revision would hold it. */
export const revisionCandidate = remember((cloneSet: CloneSet): RevisionCandidate => {
  const template = defaultTemplate(cloneSet.spec.template);
  return { template, ...revisionData(template) };
});

const textOf = remember(({ data }: ControllerRevision): string => goJson(data));

/** Chooses the revision for the candidate among all revisions that the CloneSet owns. Source: spec/in-place-update.md 2.4. */
export function decideRevision(owned: readonly ControllerRevision[], candidate: RevisionCandidate): RevisionDecision {
  const newestFirst = oldestFirst(owned).reverse();
  const newest = newestFirst[0];
  const equal =
    newestFirst.find((revision) => textOf(revision) === candidate.text) ?? newestFirst.find(({ data }) => holdsTemplate(data, candidate));
  const number = (newest?.revision ?? 0) + 1;
  if (equal === undefined) return { type: "create", number };
  return equal === newest ? { type: "reuse", revision: equal } : { type: "renumber", revision: equal, number };
}

/** True if the revision's data means the candidate's template, however it was written down. */
export function holdsTemplate(data: unknown, candidate: RevisionCandidate): boolean {
  const template = templateOfRevision(data);
  return template !== undefined && revisionData(defaultTemplate(template)).text === candidate.text;
}

/** The object to create for a candidate. `collisionCount` is raised when another template has taken the name. */
export function newRevision(
  cloneSet: CloneSet,
  candidate: RevisionCandidate,
  { number, collisionCount }: { readonly number: number; readonly collisionCount: number },
): ControllerRevision {
  const { name, namespace, annotations } = cloneSet.metadata;
  const hash = revisionHash(candidate.text, collisionCount);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, hash),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...candidate.template.metadata?.labels, [REVISION_HASH]: shortHash(hash) },
      annotations: { ...annotations, [VOLUME_CLAIM_TEMPLATE_HASH]: "" },
      ownerReferences: [ownerReferenceTo(cloneSet)],
    },
    data: candidate.data,
    revision: number,
  };
}

/** The revisions beyond the history limit, oldest first; those that `live` names, in full or by hash, are kept and do not count. */
export function expiredRevisions(
  owned: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const unused = oldestFirst(owned).filter(({ metadata }) => ![metadata.name, shortHash(metadata.name)].some((name) => live.has(name)));
  return unused.slice(0, Math.max(unused.length - limit, 0));
}

function oldestFirst(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const text = ({ metadata }: ControllerRevision): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return [...revisions].sort((a, b) => a.revision - b.revision || compareGoStrings(text(a), text(b)));
}
