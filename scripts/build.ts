import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./run.js";

/** Bundles everything that a process of the image runs into dist/podmend.cjs; the kubeconfig reader stays apart, nobody in a cluster loads it. */
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

const result = await build({
  absWorkingDir: ROOT,
  entryPoints: ["src/main.ts"],
  outfile: "dist/podmend.cjs",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: "none",
  external: ["@kubernetes/client-node"],
  define: { PODMEND_VERSION: JSON.stringify(version) },
  metafile: true,
  logLevel: "warning",
});
const sizeKiB = Math.round((result.metafile.outputs["dist/podmend.cjs"]?.bytes ?? 0) / 1024);
console.log(`dist/podmend.cjs: ${sizeKiB} KiB`);
