import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./run.js";

/**
 * Bundles everything that a process of the image runs into one file; the kubeconfig reader stays apart, nobody in a cluster loads it.
 *
 * @returns the file's size in bytes
 */
export async function bundle(outfile: string): Promise<number> {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/main.ts"],
    outfile,
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
  return Object.values(result.metafile.outputs)[0]?.bytes ?? 0;
}
