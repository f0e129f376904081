import type { ObjectReference } from "../../api/meta.js";
import { NODE_IMAGES } from "../../api/resources.js";
import { shownReference } from "../../core/image-pull/pull-reference.js";
import type { EventRecorder } from "../../kube/event-recorder.js";
import type { Logger } from "../../lib/logger.js";
import type { Metrics } from "../../lib/metrics.js";
import type { PullEnd } from "./puller.js";

export interface ReporterOptions {
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The NodeImage, for events. */
  readonly regarding: () => ObjectReference | undefined;
}

const DURATION_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900];

/** Tells everybody how pulls end: the event on the NodeImage, one log line, metrics. */
export function createReporter(options: ReporterOptions): (end: PullEnd) => void {
  const { metrics, logger } = options;
  const zero = [{ result: "succeeded" }, { result: "failed" }];
  const labels = ["result"];
  const pulls = metrics.counter({ name: "podmend_image_pulls_total", help: "Image pulls that ended.", labels, zero });
  const help = "From the request to the end of an image pull, retries and waiting included.";
  const durations = metrics.histogram({ name: "podmend_image_pull_duration_seconds", help, labels, buckets: DURATION_BUCKETS });
  return (end) => {
    const result = end.state.phase === "Succeeded" ? "succeeded" : "failed";
    pulls.increment({ result });
    durations.observe(end.durationMs / 1000, { result });
    const image = shownReference(end.task.image, end.task.spec.tag);
    const fields = { image, durationMs: Math.round(end.durationMs) };
    if (end.bug !== undefined) logger.error("Image pull breaks off", { ...fields, error: end.bug });
    else if (result === "succeeded") logger.info("Image is on the node", { ...fields, imageId: end.state.imageID });
    else logger.warn("Image pull fails", { ...fields, message: end.state.message });
    recordEvent(options, image, end);
  };
}

function recordEvent({ events, regarding }: ReporterOptions, image: string, { state, durationMs }: PullEnd): void {
  const object = regarding();
  if (object === undefined) return;
  if (state.phase === "Succeeded") {
    const message = `Image ${image}, elapsedTime ${(durationMs / 1000).toFixed(1)}s`;
    events.record({ regarding: object, type: "Normal", reason: "PullImageSucceed", message });
    return;
  }
  events.record({ regarding: object, type: "Warning", reason: "PullImageFailed", message: `Image ${image} ${state.message ?? ""}` });
}

/** The reference under which events about a NodeImage are kept. */
export function referenceTo(nodeImage: { readonly metadata: { readonly name: string; readonly uid?: string } }): ObjectReference {
  const { name, uid } = nodeImage.metadata;
  return { apiVersion: `${NODE_IMAGES.group}/${NODE_IMAGES.version}`, kind: NODE_IMAGES.kind, name, ...(uid !== undefined && { uid }) };
}
