import type { ImageTagSpec, NodeImage } from "../../api/node-image.js";
import { statusOfTag, tagsOf } from "../../core/image-pull/wanted-pulls.js";
import type { ObjectKey, StoreChange } from "../../kube/store.js";
import { jobKeyOf } from "../node-image/indexers.js";

interface TagView {
  readonly spec: ImageTagSpec;
  /** Everything that a job's count can hang on. */
  readonly print: string;
}

/** The jobs whose tags differ between two states of a NodeImage, in the request or in its outcome. */
export function changedJobKeys({ before, after }: StoreChange<NodeImage>): ReadonlySet<ObjectKey> {
  const [old, now] = [viewsOf(before), viewsOf(after)];
  const changed = [...old, ...now].filter(([name]) => old.get(name)?.print !== now.get(name)?.print);
  const owners = changed.flatMap(([, { spec }]) => spec.ownerReferences ?? []);
  return new Set(owners.flatMap((owner) => jobKeyOf(owner) ?? []));
}

function viewsOf(nodeImage: NodeImage | undefined): ReadonlyMap<string, TagView> {
  if (nodeImage === undefined) return new Map();
  return new Map(
    tagsOf(nodeImage).map(({ image, spec }) => {
      const { phase = "" } = statusOfTag(nodeImage.status, image, spec) ?? {};
      const owners = (spec.ownerReferences ?? []).map(({ uid = "", fieldPath = "" }) => `${uid}=${fieldPath}`);
      return [`${image} ${spec.tag}`, { spec, print: [String(spec.version ?? 0), phase, ...owners].join(" ") }];
    }),
  );
}
