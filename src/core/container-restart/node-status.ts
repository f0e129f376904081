import type { ContainerFacts, NodePodRestart, NodePodRestartStatus, PodRestartStatus, RestartResult } from "../../api/node-pod-restart.js";

/** What the agent knows about one pod, newer than what it wrote last. */
export interface PodReport {
  readonly results: ReadonlyMap<string, RestartResult>;
  readonly containers: readonly ContainerFacts[];
}

/**
 * The whole status to write for one node object: an entry for each pod that the spec names, results only for ids that it names.
 *
 * Where the agent has looked at a pod since it started, its report counts; else what was written before stays.
 */
export function buildNodeStatus(object: NodePodRestart, reports: ReadonlyMap<string, PodReport>): NodePodRestartStatus {
  const written = new Map(object.status?.podRestartStatuses?.map((status) => [status.uid, status]));
  const podRestartStatuses = (object.spec.podRestarts ?? []).flatMap(({ uid, requests }) => {
    const report = reports.get(uid) ?? reportOfStatus(written.get(uid));
    if (report === undefined) return [];
    const results = requests.flatMap(({ id }) => report.results.get(id) ?? []);
    return results.length + report.containers.length === 0 ? [] : [{ uid, results, containers: report.containers }];
  });
  const { generation } = object.metadata;
  return { ...(generation === undefined ? {} : { observedGeneration: generation }), podRestartStatuses };
}

/** The report that a status entry was written from. */
export function reportOfStatus(status: PodRestartStatus | undefined): PodReport | undefined {
  if (status === undefined) return undefined;
  return { results: new Map((status.results ?? []).map((result) => [result.id, result])), containers: status.containers ?? [] };
}
