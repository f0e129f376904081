import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./shell.js";
import type { Layer } from "./test-images.js";

/** The scripts and programs that test images are made of. */
export const IMAGE_SOURCES = join(import.meta.dirname, "images");

const BUSYBOX = "/bin/busybox";

/** Fills an empty directory with what the layer adds to an image's root. */
export async function fillLayer(layer: Layer, root: string): Promise<void> {
  switch (layer.type) {
    case "busybox":
      return fillBusybox(root);
    case "script":
      copyFileSync(join(IMAGE_SOURCES, layer.file), join(root, layer.file));
      return chmodSync(join(root, layer.file), 0o755);
    case "text":
      return writeIn(root, layer.path, layer.text);
    case "random":
      return writeIn(root, layer.path, randomBytes(layer.sizeBytes));
    case "program":
      return buildProgram(layer.folder, layer.version, join(root, layer.folder));
  }
}

async function fillBusybox(root: string): Promise<void> {
  for (const directory of ["bin", "etc", "tmp", "proc", "sys", "dev"]) mkdirSync(join(root, directory));
  chmodSync(join(root, "tmp"), 0o1777);
  copyFileSync(BUSYBOX, join(root, "bin/busybox"));
  for (const name of (await run(BUSYBOX, ["--list"])).split("\n")) {
    if (name !== "" && name !== "busybox") symlinkSync("busybox", join(root, "bin", name));
  }
  writeIn(root, "etc/passwd", "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n");
  writeIn(root, "etc/group", "root:x:0:\nnogroup:x:65534:\n");
}

async function buildProgram(folder: string, version: string, file: string): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: "0" };
  await run("go", ["build", "-trimpath", "-ldflags", `-s -w -X main.version=${version}`, "-o", file, "main.go"], {
    cwd: join(IMAGE_SOURCES, folder),
    env,
  });
}

function writeIn(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
