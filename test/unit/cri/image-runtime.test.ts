import { expect, test } from "@jest/globals";
import { createImageRuntime } from "../../../src/cri/image-runtime.js";
import { recordCalls } from "./recording-transport.js";

const signal = new AbortController().signal;
const PULL = { reference: "registry.test/app:v1", timeoutMs: 600_000 };

test("pullImage() sends the reference alone when nothing else is given, with the job's own timeout", async () => {
  const { calls, criCalls } = recordCalls({ PullImage: { imageRef: "sha256:aa" } });

  expect(await createImageRuntime(criCalls).pullImage(PULL, signal)).toBe("sha256:aa");
  expect(calls).toEqual([
    { path: "/runtime.v1.ImageService/PullImage", request: { image: { image: "registry.test/app:v1" } }, timeoutMs: 600_000 },
  ]);
});

test("pullImage() sends credentials and the sandbox's words", async () => {
  const { calls, criCalls } = recordCalls();
  const auth = { username: "u", password: "p", serverAddress: "registry.test", identityToken: "i", registryToken: "r" };

  await createImageRuntime(criCalls).pullImage({ ...PULL, auth, sandboxLabels: { a: "1" }, sandboxAnnotations: { b: "2" } }, signal);

  expect(calls[0]?.request).toEqual({
    image: { image: "registry.test/app:v1" },
    auth,
    sandboxConfig: { labels: { a: "1" }, annotations: { b: "2" } },
  });
});

test("imageStatus() gives undefined for an image that the runtime does not have", async () => {
  const { criCalls } = recordCalls();

  expect(await createImageRuntime(criCalls).imageStatus("registry.test/app:v1", signal)).toBeUndefined();
});

test("listImages() gives sizes beyond 32 bits", async () => {
  const image = { id: "sha256:aa", repoTags: ["a:1"], repoDigests: ["a@sha256:bb"], size: "12000000000" };
  const { criCalls } = recordCalls({ ListImages: { images: [image] } });

  expect(await createImageRuntime(criCalls).listImages(signal)).toEqual([
    { id: "sha256:aa", repoTags: ["a:1"], repoDigests: ["a@sha256:bb"], sizeBytes: 12_000_000_000 },
  ]);
});
