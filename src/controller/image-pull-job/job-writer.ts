import type { ImagePullJob, ImagePullJobStatus } from "../../api/image-pull-job.js";
import { DELETION_PROTECTION_FINALIZER } from "../../api/names.js";
import { IMAGE_PULL_JOBS } from "../../api/resources.js";
import { decideJobWrite } from "../../core/image-pull-job/decide-job-write.js";
import type { KubeClient, ObjectName } from "../../kube/client.js";
import type { Informer } from "../../kube/informer.js";
import { keyOf } from "../../kube/keys.js";
import type { Clock } from "../../lib/clock.js";
import { failureKind } from "../../lib/failure.js";

/** What became of a status: written now, equal already, or to be looked at again later. */
export type StatusOutcome = { readonly type: "written" | "none" } | { readonly type: "wait"; readonly delayMs: number };

/** Every write to a job: finalizer, status, removal. A job that is gone meanwhile is no failure. */
export class JobWriter {
  readonly #client: KubeClient;
  readonly #jobs: Informer<ImagePullJob>;
  readonly #clock: Clock;
  readonly #lastWritesMs = new Map<string, number>();

  constructor({ client, imagePullJobs, clock }: { client: KubeClient; imagePullJobs: Informer<ImagePullJob>; clock: Clock }) {
    this.#client = client;
    this.#jobs = imagePullJobs;
    this.#clock = clock;
  }

  /** @returns the job as it is now */
  async addFinalizer(job: ImagePullJob, signal: AbortSignal): Promise<ImagePullJob> {
    const finalizers = job.metadata.finalizers ?? [];
    if (finalizers.includes(DELETION_PROTECTION_FINALIZER)) return job;
    return (await this.#setFinalizers(job, [...finalizers, DELETION_PROTECTION_FINALIZER], signal)) ?? job;
  }

  async removeFinalizer(job: ImagePullJob, signal: AbortSignal): Promise<void> {
    const finalizers = job.metadata.finalizers ?? [];
    const others = finalizers.filter((finalizer) => finalizer !== DELETION_PROTECTION_FINALIZER);
    if (others.length < finalizers.length) await this.#setFinalizers(job, others, signal);
  }

  /** Writes the status unless it is equal, or may still wait. */
  async writeStatus(job: ImagePullJob, status: ImagePullJobStatus, signal: AbortSignal): Promise<StatusOutcome> {
    const key = keyOf(job);
    const nowMs = this.#clock.monotonicMs();
    const decision = decideJobWrite(job, status, { nowMs, lastWriteMs: this.#lastWritesMs.get(key) });
    if (decision.type !== "write") return decision;
    this.#lastWritesMs.set(key, nowMs);
    const body = { metadata: { resourceVersion: job.metadata.resourceVersion }, status: decision.status };
    await this.#orGone(async () => {
      const request = { target: nameOf(job), type: "merge", subresource: "status", body } as const;
      this.#jobs.applyWrite(await this.#client.patch<ImagePullJob>(IMAGE_PULL_JOBS, request, signal));
    });
    return { type: "written" };
  }

  async remove(job: ImagePullJob, signal: AbortSignal): Promise<void> {
    const { uid } = job.metadata;
    const options = { propagationPolicy: "Background", ...(uid !== undefined && { uid }) } as const;
    await this.#orGone(() => this.#client.delete(IMAGE_PULL_JOBS, { target: nameOf(job), options }, signal));
  }

  /** Drops what is remembered about a job that is gone. */
  forget(key: string): void {
    this.#lastWritesMs.delete(key);
  }

  async #setFinalizers(job: ImagePullJob, finalizers: readonly string[], signal: AbortSignal): Promise<ImagePullJob | undefined> {
    const body = { metadata: { resourceVersion: job.metadata.resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
    return this.#orGone(async () => {
      const written = await this.#client.patch<ImagePullJob>(IMAGE_PULL_JOBS, { target: nameOf(job), type: "merge", body }, signal);
      if (written.metadata.deletionTimestamp === undefined) this.#jobs.applyWrite(written);
      return written;
    });
  }

  async #orGone<T>(write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      if (failureKind(error) === "missing") return undefined;
      throw error;
    }
  }
}

function nameOf({ metadata: { name, namespace } }: ImagePullJob): ObjectName {
  return { name, ...(namespace !== undefined && { namespace }) };
}
