import type {
  ContainerFacts,
  NodePodRestart,
  NodePodRestartStatus,
  RestartPhase,
  RestartRequest,
  RestartResult,
} from "../../api/node-pod-restart.js";
import { askedByUid, toldByUid } from "./node-entries.js";

/** What the agent knows about one pod, newer than what it wrote last. */
export interface PodReport {
  readonly results: ReadonlyMap<string, RestartResult>;
  readonly containers: readonly ContainerFacts[];
  /** Ids of all requests that the spec held about the pod when the look at its containers began. Absent: it is not known, or there was no look. */
  readonly askedIds?: ReadonlySet<string>;
}

/**
 * The whole status to write for one node object: an entry for each pod that the spec names, results only for ids that it names.
 *
 * Where the agent has looked at a pod since it started, its report counts; else what was written before stays. A result that another life of
 * the agent has brought further stays too, above all that it runs preStop. WARNING: containers are told
 * only as long as the same is asked as when they were looked at. Whoever reads the status takes its generation to have been seen before the
 * look; a look from before may have missed what another life of the agent has stopped since.
 */
export function buildNodeStatus(object: NodePodRestart, reports: ReadonlyMap<string, PodReport>): NodePodRestartStatus {
  const podRestartStatuses = (object.spec.podRestarts ?? []).flatMap(({ uid, requests }) => {
    const written = writtenReport(object, uid);
    const report = reports.get(uid) ?? written;
    if (report === undefined) return [];
    const results = requests.flatMap(({ id }) => further(report.results.get(id), written?.results.get(id)) ?? []);
    const containers = isAnswerTo(requests, report) ? report.containers : [];
    return results.length + containers.length === 0 ? [] : [{ uid, results, containers }];
  });
  const { generation } = object.metadata;
  return { ...(generation === undefined ? {} : { observedGeneration: generation }), podRestartStatuses };
}

/** The report on a pod that its status entry was written from. */
export function writtenReport(object: NodePodRestart, podUid: string): PodReport | undefined {
  const written = toldByUid(object).get(podUid);
  if (written === undefined) return undefined;
  const asked = object.status?.observedGeneration === object.metadata.generation ? askedByUid(object).get(podUid) : undefined;
  return {
    results: new Map((written.results ?? []).map((result) => [result.id, result])),
    containers: written.containers ?? [],
    ...(asked === undefined ? {} : { askedIds: idsOf(asked.requests) }),
  };
}

/** The ids of requests, which never change: they tell all. */
export function idsOf(requests: readonly RestartRequest[]): ReadonlySet<string> {
  return new Set(requests.map(({ id }) => id));
}

const ORDER: readonly RestartPhase[] = ["Waiting", "Stopping"];

function further(own: RestartResult | undefined, written: RestartResult | undefined): RestartResult | undefined {
  if (own === undefined || written === undefined) return own ?? written;
  return progressOf(written) > progressOf(own) ? written : own;
}

function progressOf({ phase }: RestartResult): number {
  const index = ORDER.indexOf(phase);
  return index < 0 ? ORDER.length : index;
}

function isAnswerTo(requests: readonly RestartRequest[], { askedIds }: PodReport): boolean {
  return askedIds?.size === requests.length && requests.every(({ id }) => askedIds.has(id));
}
