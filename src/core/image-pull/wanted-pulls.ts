import type { ImageTagSpec, ImageTagStatus, NodeImage, NodeImageStatus, SandboxConfig } from "../../api/node-image.js";
import { compareGoStrings } from "../values/go-json.js";

/** One pull that a NodeImage asks for and whose end it does not know yet. */
export interface PullTask {
  /** Names this round of pulling: the NodeImage's UID, image, tag and version. */
  readonly id: string;
  readonly image: string;
  readonly spec: ImageTagSpec;
  readonly sandboxConfig?: SandboxConfig;
  /** When an earlier agent began it. RFC 3339. */
  readonly startTime?: string;
}

/**
 * Every pull that should be going on, in the order in which they were asked for. What the status says has ended is not among them,
 * so a new agent neither repeats nor forgets anything. Pure; call it again after every change.
 */
export function wantedPulls(nodeImage: NodeImage): readonly PullTask[] {
  const tasks = tagsOf(nodeImage).flatMap(({ image, spec }) => {
    const before = statusOfTag(nodeImage.status, image, spec);
    if (before?.completionTime !== undefined) return [];
    const sandboxConfig = nodeImage.spec?.images?.[image]?.sandboxConfig;
    const startTime = before?.startTime;
    const id = pullId(nodeImage, image, spec);
    return [{ id, image, spec, ...(sandboxConfig && { sandboxConfig }), ...(startTime !== undefined && { startTime }) }];
  });
  return tasks.sort((a, b) => compareGoStrings(a.spec.createdAt ?? "", b.spec.createdAt ?? ""));
}

/** The name of one round of pulling. */
export function pullId(nodeImage: NodeImage, image: string, spec: ImageTagSpec): string {
  return [nodeImage.metadata.uid ?? "", image, spec.tag, String(spec.version ?? 0)].join(" ");
}

/** All tags of a NodeImage, images in the order of their names. */
export function tagsOf(nodeImage: NodeImage): readonly { readonly image: string; readonly spec: ImageTagSpec }[] {
  return Object.entries(nodeImage.spec?.images ?? {})
    .sort(([a], [b]) => compareGoStrings(a, b))
    .flatMap(([image, { tags }]) => tags.map((spec) => ({ image, spec })));
}

/** What the status says about this version of a tag. */
export function statusOfTag(status: NodeImageStatus | undefined, image: string, spec: ImageTagSpec): ImageTagStatus | undefined {
  const entry = status?.imageStatuses?.[image]?.tags.find(({ tag }) => tag === spec.tag);
  return entry !== undefined && (entry.version ?? 0) === (spec.version ?? 0) ? entry : undefined;
}
