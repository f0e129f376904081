import type { ImagePullPhase, ImageStatus, ImageTagSpec, ImageTagStatus, NodeImage, NodeImageStatus } from "../../api/node-image.js";
import { pullId, statusOfTag, tagsOf } from "./wanted-pulls.js";

/** How one pull of this agent stands. Times are RFC 3339. */
export interface PullState {
  readonly phase: ImagePullPhase;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly imageID?: string;
  readonly message?: string;
}

/**
 * The status that a NodeImage should have: what this agent's pulls (by `PullTask.id`) say, for tags without one what the status says
 * already. Fields of other writers stay.
 * Source: spec/node-agent.md 4.3.
 */
export function nodeImageStatus(nodeImage: NodeImage, pulls: ReadonlyMap<string, PullState>): NodeImageStatus {
  const tags = tagsOf(nodeImage);
  const entries = tags.flatMap(({ image, spec }) => {
    const pull = pulls.get(pullId(nodeImage, image, spec));
    const known = statusOfTag(nodeImage.status, image, spec);
    const isKnownToHaveEnded = known?.completionTime !== undefined;
    const entry = pull === undefined || isKnownToHaveEnded ? known : toTagStatus(spec, pull);
    return entry === undefined ? [] : [{ image, entry }];
  });
  const count = (phase: ImagePullPhase): number => entries.filter(({ entry }) => entry.phase === phase).length;
  const counters = {
    desired: tags.length,
    succeeded: count("Succeeded"),
    failed: count("Failed"),
    pulling: count("Pulling"),
    waiting: count("Waiting"),
  };
  const others = Object.fromEntries(Object.entries(nodeImage.status ?? {}).filter(([field]) => field !== "imageStatuses"));
  return { ...others, ...counters, ...(entries.length > 0 && { imageStatuses: byImage(entries) }) };
}

/** Whether there is nothing to tell: no tags asked for and no status ever written. */
export function isBlank(nodeImage: NodeImage): boolean {
  return nodeImage.status === undefined && tagsOf(nodeImage).length === 0;
}

function byImage(entries: readonly { readonly image: string; readonly entry: ImageTagStatus }[]): Readonly<Record<string, ImageStatus>> {
  const images = new Map<string, ImageTagStatus[]>();
  for (const { image, entry } of entries) {
    const tags = images.get(image);
    if (tags === undefined) images.set(image, [entry]);
    else tags.push(entry);
  }
  return Object.fromEntries([...images].map(([image, tags]) => [image, { tags }]));
}

function toTagStatus({ tag, version = 0 }: ImageTagSpec, pull: PullState): ImageTagStatus {
  return { tag, ...pull, ...(pull.phase === "Succeeded" && { progress: 100 }), ...(version > 0 && { version }) };
}
