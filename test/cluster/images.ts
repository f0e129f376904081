import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fillLayer, IMAGE_SOURCES } from "./image-layers.js";
import { withCacheLock } from "./lock.js";
import { pushImage } from "./registry.js";
import { run, say } from "./shell.js";
import type { ClusterPaths } from "./state.js";
import { TEST_IMAGES, type TestImage } from "./test-images.js";

/** Builds the test images, once; gives the OCI layout that holds them. */
export function ensureTestImages(paths: ClusterPaths): Promise<string> {
  return withCacheLock(paths, "test-images", () => buildOnce(join(paths.cache, "test-images")));
}

async function buildOnce(directory: string): Promise<string> {
  const finished = join(directory, sourceHash());
  if (existsSync(finished)) return finished;
  say("Building the test images");
  rmSync(directory, { recursive: true, force: true }); // what a killed build or an older version left
  mkdirSync(directory, { recursive: true });
  const layout = `${finished}.unfinished`;
  await run("umoci", ["init", "--layout", layout]);
  const known = new Set<string>();
  for (const image of TEST_IMAGES) await buildImage(layout, image, known);
  renameSync(layout, finished);
  return finished;
}

/** Puts every test image under all its names into the registry; pause comes first, since no pod starts without it. */
export async function pushTestImages(paths: ClusterPaths, layout: string): Promise<void> {
  for (const image of TEST_IMAGES) {
    for (const name of image.names) await pushImage(paths, `oci:${layout}:${referenceOf(image)}`, name);
  }
}

/** Images that begin with the same layers share them: each prefix of layers is an image of its own in the layout. */
async function buildImage(layout: string, image: TestImage, known: Set<string>): Promise<void> {
  let parent: string | undefined;
  for (const [index, layer] of image.layers.entries()) {
    const prefix = shortHash(JSON.stringify(image.layers.slice(0, index + 1)));
    if (!known.has(prefix)) {
      await addLayer(layout, parent, prefix, (root) => fillLayer(layer, root));
      known.add(prefix);
    }
    parent = prefix;
  }
  const reference = referenceOf(image);
  await run("umoci", ["tag", "--image", `${layout}:${String(parent)}`, reference]);
  const entrypoint = image.entrypoint.flatMap((word) => ["--config.entrypoint", word]);
  await run("umoci", ["config", "--image", `${layout}:${reference}`, ...entrypoint, "--config.env", "PATH=/bin"]);
}

async function addLayer(
  layout: string,
  parent: string | undefined,
  reference: string,
  fill: (root: string) => Promise<void>,
): Promise<void> {
  const image = `${layout}:${reference}`;
  const root = mkdtempSync(`${layout}.layer.`);
  try {
    await fill(root);
    if (parent === undefined) await run("umoci", ["new", "--image", image]);
    else await run("umoci", ["tag", "--image", `${layout}:${parent}`, reference]);
    await run("umoci", ["insert", "--image", image, root, "/"]);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function referenceOf(image: TestImage): string {
  return String(image.names[0]).replace(":", "-");
}

function sourceHash(): string {
  const sources = readdirSync(IMAGE_SOURCES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = sources.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")).sort();
  return shortHash(JSON.stringify([TEST_IMAGES, texts]));
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
