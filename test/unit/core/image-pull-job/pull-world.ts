import type { ImagePullJob, ImagePullJobSpec } from "../../../../src/api/image-pull-job.js";
import type { ObjectReference } from "../../../../src/api/meta.js";
import type { NodeImage } from "../../../../src/api/node-image.js";
import { nodeImageStatus, type PullState } from "../../../../src/core/image-pull/node-image-status.js";
import { pullId, wantedPulls } from "../../../../src/core/image-pull/wanted-pulls.js";
import { assignTag } from "../../../../src/core/image-pull-job/assign-tag.js";
import { decideJob } from "../../../../src/core/image-pull-job/decide-job.js";
import { jobSettings } from "../../../../src/core/image-pull-job/job-settings.js";
import { tagPullPolicy } from "../../../../src/core/image-pull-job/tag-policy.js";
import { decideNodeImage } from "../../../../src/core/node-image/decide-node-image.js";
import { applyMergePatch } from "../../../support/merge-patch.js";
import { toRfc3339Seconds } from "../../../../src/core/values/timestamps.js";
import { makeJob, makeNodeImage, ownedBy } from "../../../support/images.js";

/** Objects as an API server holds them, and the rules applied to them one step at a time. Nothing else is remembered. */
export class PullWorld {
  readonly jobs = new Map<string, ImagePullJob>();
  readonly nodeImages = new Map<string, NodeImage>();
  nowMs = Date.parse("2026-01-01T00:00:00Z");

  constructor(nodes: number) {
    for (let index = 0; index < nodes; index++) this.nodeImages.set(`n${index}`, makeNodeImage(`n${index}`));
  }

  addJob(name: string, spec: Partial<ImagePullJobSpec>): void {
    this.jobs.set(name, makeJob(spec, {}, name));
  }

  /** One look of the controller at a job; it may crash after so many assignments, before it writes the status. */
  lookAtJob(name: string, crashAfter = Number.POSITIVE_INFINITY): void {
    const job = this.jobs.get(name);
    const settings = job === undefined ? undefined : jobSettings(job.spec);
    if (job === undefined || settings === undefined || job.status?.completionTime !== undefined) return;
    const nodes = [...this.nodeImages].map(([node, nodeImage]) => ({ name: node, nodeImage }));
    const plan = decideJob(job, settings, { nodes, nowMs: this.nowMs });
    for (const node of plan.assign.slice(0, crashAfter)) {
      const { image, tag, imagePullPolicy } = settings;
      const request = {
        owner: ownedBy(name),
        image,
        tag,
        imagePullPolicy,
        pullPolicy: tagPullPolicy(settings, 0),
        sandboxConfig: undefined,
        isDone: (other: ObjectReference) => this.jobs.get(other.name ?? "")?.status?.completionTime !== undefined,
      };
      this.#patch(node, (current) => assignTag(current, { ...request, createdAt: toRfc3339Seconds(this.nowMs) }));
    }
    if (plan.assign.length <= crashAfter) this.jobs.set(name, { ...job, status: plan.status });
  }

  /** One look of the controller at a node. */
  lookAtNode(node: string): void {
    const nodeImage = this.nodeImages.get(node);
    const labels = nodeImage?.metadata.labels;
    const jobOf = (owner: ObjectReference) => this.jobs.get(owner.name ?? "");
    const situation = { name: node, node: { metadata: { name: node, ...(labels && { labels }) } }, nodeImage, jobOf, nowMs: this.nowMs };
    const decision = decideNodeImage(situation);
    if (decision.type === "patch") this.#patch(node, () => decision.body);
  }

  /** The agent tells how each pull that it should do stands. */
  answer(node: string, phase: PullState["phase"]): void {
    const nodeImage = this.nodeImages.get(node);
    if (nodeImage === undefined) return;
    const time = toRfc3339Seconds(this.nowMs);
    const state: PullState = phase === "Pulling" ? { phase, startTime: time } : { phase, startTime: time, completionTime: time };
    const pulls = new Map(wantedPulls(nodeImage).map(({ image, spec }) => [pullId(nodeImage, image, spec), state]));
    this.nodeImages.set(node, { ...nodeImage, status: nodeImageStatus(nodeImage, pulls) });
  }

  #patch(node: string, change: (current: NodeImage) => object | undefined): void {
    const current = this.nodeImages.get(node);
    const body = current === undefined ? undefined : change(current);
    if (body !== undefined) this.nodeImages.set(node, applyMergePatch(current, body) as NodeImage);
  }
}
