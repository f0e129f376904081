import type { ImagePullJob } from "../../api/image-pull-job.js";
import { decideJob, type JobPlan, withRefused } from "../../core/image-pull-job/decide-job.js";
import { keepForMs } from "../../core/image-pull-job/finished-job.js";
import { jobProblem, jobSettings } from "../../core/image-pull-job/job-settings.js";
import { unknownNames } from "../../core/image-pull-job/target-nodes.js";
import type { EventRecorder } from "../../kube/event-recorder.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { Logger } from "../../lib/logger.js";
import { applyAssignments, type AssignmentOptions } from "./apply.js";
import type { JobWriter } from "./job-writer.js";
import { type JobCaches, observeNodes } from "./observe.js";
import { reportFailures, reportRefusal, reportUnknownNames } from "./report.js";

export interface ImagePullJobReconcilerOptions extends AssignmentOptions {
  readonly caches: JobCaches;
  readonly jobWriter: JobWriter;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/** Carries one ImagePullJob on: asks the next nodes, counts outcomes, ends and removes the job. */
export class ImagePullJobReconciler implements Reconciler {
  readonly #options: ImagePullJobReconcilerOptions;
  /** When the first job was looked at, which is when this controller became the leader. Unix milliseconds. */
  #watchingSinceMs: number | undefined;

  constructor(options: ImagePullJobReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { imagePullJobs, jobWriter } = this.#options;
    const job = imagePullJobs.store.get(key);
    if (job === undefined) {
      jobWriter.forget(key);
      return {};
    }
    // The node-image reconciler takes the tags of a job that is going away.
    if (job.metadata.deletionTimestamp !== undefined) return this.#letGo(job, signal);
    if (job.status?.completionTime !== undefined) return this.#afterEnd(job, signal);
    return this.#carryOn(job, signal);
  }

  async #letGo(job: ImagePullJob, signal: AbortSignal): Promise<ReconcileResult> {
    await this.#options.jobWriter.removeFinalizer(job, signal);
    return {};
  }

  async #afterEnd(job: ImagePullJob, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, jobWriter, logger } = this.#options;
    await jobWriter.removeFinalizer(job, signal);
    const keepMs = keepForMs(job, clock.nowMs());
    if (keepMs === undefined) return {};
    if (keepMs > 0) return { requeueAfterMs: keepMs };
    await jobWriter.remove(job, signal);
    logger.info("Finished job is removed", { namespace: job.metadata.namespace, name: job.metadata.name });
    return {};
  }

  async #carryOn(stored: ImagePullJob, signal: AbortSignal): Promise<ReconcileResult> {
    const { caches, clock, events, jobWriter } = this.#options;
    const settings = jobSettings(stored.spec);
    const problem = jobProblem(stored.spec);
    if (problem !== undefined || settings === undefined) return this.#refuse(stored, problem ?? "spec is malformed", signal);
    const nodes = observeNodes(stored, caches);
    const nowMs = clock.nowMs();
    this.#watchingSinceMs ??= nowMs;
    const plan = decideJob(stored, settings, { nodes, nowMs, watchingSinceMs: this.#watchingSinceMs });
    if (stored.status?.startTime === undefined) reportUnknownNames(events, stored, unknownNames(stored, nodes));
    // Side by side: nothing hangs on the finalizer, which is there for those who expect it, and the nodes need not wait for it.
    const [job, { refused, failure }] = await both(
      jobWriter.addFinalizer(stored, signal),
      applyAssignments(this.#options, { job: stored, settings, plan }, signal),
    );
    const result = await this.#writePlan(job, withRefused(plan, refused), signal);
    if (failure !== undefined) throw failure;
    return result;
  }

  async #writePlan(job: ImagePullJob, plan: JobPlan, signal: AbortSignal): Promise<ReconcileResult> {
    const { events, jobWriter, logger } = this.#options;
    const outcome = await jobWriter.writeStatus(job, plan.status, signal);
    if (outcome.type === "written") {
      reportFailures(events, job, plan.failures);
      const { completionTime, message, succeeded, failed } = plan.status;
      const fields = { namespace: job.metadata.namespace, name: job.metadata.name, message, succeeded, failed };
      if (completionTime !== undefined) logger.info("Job ends", fields);
    }
    const delaysMs = [plan.requeueAfterMs, outcome.type === "wait" ? outcome.delayMs : undefined].filter((ms) => ms !== undefined);
    return delaysMs.length === 0 ? {} : { requeueAfterMs: Math.min(...delaysMs) };
  }

  async #refuse(job: ImagePullJob, message: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { events, jobWriter } = this.#options;
    const outcome = await jobWriter.writeStatus(job, { ...job.status, desired: job.status?.desired ?? 0, message }, signal);
    if (outcome.type === "written") reportRefusal(events, job, message);
    return outcome.type === "wait" ? { requeueAfterMs: outcome.delayMs } : {};
  }
}

/** Both results, once both have ended. @throws the first failure */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}
