import { CONTROLLER_REVISIONS } from "../../api/resources.js";
import type { ControllerRevision, PodTemplate } from "../../api/pod.js";
import {
  decideRevision,
  expiredRevisions,
  holdsTemplate,
  newRevision,
  type RevisionCandidate,
  revisionCandidate,
} from "../../core/clone-set/revisions.js";
import { templateOfRevision } from "../../core/revision/revision-data.js";
import { meansRevision } from "../../core/revision/revision-name.js";
import { isAlreadyExists } from "../../kube/failures.js";
import { ownedRevisions } from "./observe.js";
import type { Pass } from "./pass.js";

/** The revisions that a pass works with. */
export interface Revisions {
  /** The template that the CloneSet asks for, and the revision that holds it. */
  readonly update: { readonly name: string; readonly template: PodTemplate };
  /** Where most pods came from before this rollout; the same as `update` when there is none. */
  readonly currentName: string;
  readonly collisionCount: number;
  /** The template of any revision that still exists, by what a pod's label says. */
  readonly templateOf: (label: string) => PodTemplate | undefined;
}

const DEFAULT_HISTORY_LIMIT = 10;
/** Two templates with one 32-bit hash are rare, many in a row are a bug. */
const MAX_COLLISIONS = 5;
const NO_NAME_LEFT = `Cannot create a revision: the ${MAX_COLLISIONS + 1} names for it belong to revisions of others; delete those that nobody owns`;

/** Makes sure that a revision holds the template of the CloneSet and is the newest one. @throws {OperationError} as its writes do */
export async function ensureRevisions(pass: Pass): Promise<Revisions> {
  const candidate = revisionCandidate(pass.cloneSet);
  const { revision, collisionCount } = await ensureUpdateRevision(pass, candidate);
  const owned = ownedRevisions(pass);
  const current = owned.find(({ metadata }) => metadata.name === pass.cloneSet.status?.currentRevision) ?? revision;
  return {
    update: { name: revision.metadata.name, template: candidate.template },
    currentName: current.metadata.name,
    collisionCount,
    templateOf: (label) => templateOfRevision(owned.find(({ metadata }) => meansRevision(label, metadata.name))?.data),
  };
}

/** Deletes the revisions beyond the history limit that `live` does not name. @throws {OperationError} as deleting does */
export async function deleteExpiredRevisions(pass: Pass, live: ReadonlySet<string>): Promise<void> {
  const limit = pass.cloneSet.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT;
  for (const revision of expiredRevisions(ownedRevisions(pass), live, limit)) {
    const options = revision.metadata.uid === undefined ? {} : { uid: revision.metadata.uid };
    await pass.deps.client.delete(CONTROLLER_REVISIONS, { target: nameOf(revision), options }, pass.signal);
  }
}

interface EnsuredRevision {
  readonly revision: ControllerRevision;
  readonly collisionCount: number;
}

async function ensureUpdateRevision(pass: Pass, candidate: RevisionCandidate): Promise<EnsuredRevision> {
  const decision = decideRevision(ownedRevisions(pass), candidate);
  const collisionCount = pass.cloneSet.status?.collisionCount ?? 0;
  if (decision.type === "reuse") return { revision: decision.revision, collisionCount };
  if (decision.type === "create") return createRevision(pass, candidate, decision.number);
  const { resourceVersion } = decision.revision.metadata;
  const body = { metadata: { resourceVersion }, revision: decision.number };
  const { client, informers } = pass.deps;
  const request = { target: nameOf(decision.revision), type: "merge", body } as const;
  const revision = await client.patch<ControllerRevision>(CONTROLLER_REVISIONS, request, pass.signal);
  informers.controllerRevisions.applyWrite(revision);
  return { revision, collisionCount };
}

async function createRevision(pass: Pass, candidate: RevisionCandidate, number: number): Promise<EnsuredRevision> {
  const first = pass.cloneSet.status?.collisionCount ?? 0;
  for (let collisionCount = first; ; collisionCount++) {
    const wanted = newRevision(pass.cloneSet, candidate, { number, collisionCount });
    try {
      const revision = await pass.deps.client.create(CONTROLLER_REVISIONS, wanted, pass.signal);
      pass.deps.informers.controllerRevisions.applyWrite(revision);
      return { revision, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const revision = await readOwnRevision(pass, wanted, candidate);
      if (revision !== undefined) return { revision, collisionCount };
      if (collisionCount - first >= MAX_COLLISIONS) {
        pass.fail("FailedUpdate", "FailedRevision", NO_NAME_LEFT); // by itself it is a conflict, which nobody is told
        throw error;
      }
    }
  }
}

/** The revision that has the wanted name already, if it is ours and holds the candidate: our cache had not seen it. */
async function readOwnRevision(
  pass: Pass,
  wanted: ControllerRevision,
  candidate: RevisionCandidate,
): Promise<ControllerRevision | undefined> {
  const { client, informers } = pass.deps;
  const existing = await client.get<ControllerRevision>(CONTROLLER_REVISIONS, nameOf(wanted), pass.signal);
  const isOurs = existing.metadata.ownerReferences?.some(({ uid }) => uid === pass.cloneSet.metadata.uid) === true;
  if (!isOurs || !holdsTemplate(existing.data, candidate)) return undefined;
  informers.controllerRevisions.applyWrite(existing);
  return existing;
}

function nameOf({ metadata }: ControllerRevision): { readonly name: string; readonly namespace?: string } {
  return { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
}
