import type { CriCalls } from "./calls.js";
import { READ_TIMEOUT_MS } from "./container-runtime.js";
import { toImage } from "./conversion.js";
import type { PullImageRequest } from "./gen/runtime-proto.js";
import type { ImageRuntime, PullRequest } from "./runtime.js";

/** The image side of the port, over any transport. */
export function createImageRuntime(calls: CriCalls): ImageRuntime {
  return {
    async listImages(signal) {
      const options = { verb: "list images of", target: "node", timeoutMs: READ_TIMEOUT_MS, signal };
      const { images } = await calls.unary("ListImages", {}, options);
      return images.map(toImage);
    },
    async pullImage(request, signal) {
      const options = { verb: "pull image", target: request.reference, timeoutMs: request.timeoutMs, signal };
      const { imageRef } = await calls.unary("PullImage", toPullRequest(request), options);
      return imageRef;
    },
    async imageStatus(reference, signal) {
      const options = { verb: "look up image", target: reference, timeoutMs: READ_TIMEOUT_MS, signal };
      const { image } = await calls.unary("ImageStatus", { image: { image: reference } }, options);
      return image === null ? undefined : toImage(image);
    },
  };
}

function toPullRequest({ reference, auth, sandboxLabels, sandboxAnnotations }: PullRequest): PullImageRequest {
  const hasSandbox = sandboxLabels !== undefined || sandboxAnnotations !== undefined;
  return {
    image: { image: reference },
    ...(auth === undefined ? {} : { auth }),
    ...(hasSandbox ? { sandboxConfig: { labels: sandboxLabels ?? {}, annotations: sandboxAnnotations ?? {} } } : {}),
  };
}
