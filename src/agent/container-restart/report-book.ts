import type { ContainerFacts, NodePodRestart, PodRestart, RestartResult } from "../../api/node-pod-restart.js";
import { idsOf, type PodReport, writtenReport } from "../../core/container-restart/node-status.js";

const EMPTY: PodReport = { results: new Map(), containers: [] };

/** What the agent has found out since it started, waiting to be written; before that, what was written by its earlier lives. */
export class ReportBook {
  readonly #reports = new Map<string, PodReport>();
  readonly #written: () => NodePodRestart | undefined;

  /** @param written the node's object as the cache has it */
  constructor(written: () => NodePodRestart | undefined) {
    this.#written = written;
  }

  /** Pods that were looked at since the start, by UID. */
  get reports(): ReadonlyMap<string, PodReport> {
    return this.#reports;
  }

  of(podUid: string): PodReport {
    return this.#reports.get(podUid) ?? this.#writtenReport(podUid) ?? EMPTY;
  }

  setResult(podUid: string, result: RestartResult): void {
    const report = this.of(podUid);
    this.#reports.set(podUid, { ...report, results: new Map(report.results).set(result.id, result) });
  }

  /** @param asked about the pod when the look began */
  setContainers({ uid, requests }: PodRestart, containers: readonly ContainerFacts[]): void {
    this.#reports.set(uid, { ...this.of(uid), containers, askedIds: idsOf(requests) });
  }

  /** Drops the results of ids that nobody asks for any more. */
  keepResults(podUid: string, ids: ReadonlySet<string>): void {
    const report = this.#reports.get(podUid);
    if (report === undefined) return;
    this.#reports.set(podUid, { ...report, results: new Map([...report.results].filter(([id]) => ids.has(id))) });
  }

  forget(podUid: string): void {
    this.#reports.delete(podUid);
  }

  #writtenReport(podUid: string): PodReport | undefined {
    const object = this.#written();
    return object && writtenReport(object, podUid);
  }
}
