import type { ImagePullJob, ImagePullJobSpec } from "../../src/api/image-pull-job.js";
import type { ImageTagSpec, ImageTagStatus, NodeImage } from "../../src/api/node-image.js";

/** A job `shop/pull` for `lab.local/app:v2` on all nodes; its UID is `<name>-uid`. */
export function makeJob(spec: Partial<ImagePullJobSpec> = {}, rest: Partial<ImagePullJob> = {}, name = "pull"): ImagePullJob {
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "ImagePullJob",
    metadata: { name, namespace: "shop", uid: `${name}-uid`, resourceVersion: "1" },
    spec: { image: "lab.local/app:v2", completionPolicy: { type: "Always" }, ...spec },
    ...rest,
  };
}

/** The reference by which a tag names `makeJob(…, name)` as owner. */
export function ownedBy(name = "pull", fieldPath?: string) {
  const owner = { apiVersion: "apps.kruise.io/v1beta1", kind: "ImagePullJob", namespace: "shop", name, uid: `${name}-uid` };
  return fieldPath === undefined ? owner : { ...owner, fieldPath };
}

/** A NodeImage with one image, `lab.local/app`. */
export function makeNodeImage(name: string, tags: readonly ImageTagSpec[] = [], statuses: readonly ImageTagStatus[] = []): NodeImage {
  const metadata = { name, uid: `${name}-uid`, resourceVersion: "7", labels: { "kubernetes.io/hostname": name } };
  const status = { desired: tags.length, imageStatuses: { "lab.local/app": { tags: statuses } } };
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "NodeImage",
    metadata,
    spec: tags.length === 0 ? {} : { images: { "lab.local/app": { tags } } },
    ...(statuses.length > 0 && { status }),
  };
}
