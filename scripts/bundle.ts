import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { ROOT } from "./run.js";

/** A bundle that was written. */
export interface Bundle {
  readonly sizeBytes: number;
  /** Files of this repository and of packages that are in it, relative to the root. */
  readonly inputs: readonly string[];
}

/** What goes into a bundle: all that the image runs, or the demo as well. */
export type BundleContent = "image" | "demo";

/** In the image `podmend demo` says where to find it instead. */
const withoutDemo: Plugin = {
  name: "without-demo",
  setup(made) {
    made.onResolve({ filter: /^\.\/demo\.js$/ }, ({ importer }) =>
      importer.endsWith(join("src", "cli", "command.ts")) ? { path: join(ROOT, "src/cli/no-demo.ts") } : undefined,
    );
  },
};

/**
 * Bundles everything that a process runs into one file; the kubeconfig reader stays apart, nobody in a cluster loads it. The models
 * behind the demo are in the demo's bundle only.
 */
export async function bundle(outfile: string, content: BundleContent = "image"): Promise<Bundle> {
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
    external: ["@kubernetes/client-node", "@marcbachmann/cel-js"],
    define: { PODMEND_VERSION: JSON.stringify(version) },
    plugins: content === "image" ? [withoutDemo] : [],
    metafile: true,
    logLevel: "warning",
  });
  return { sizeBytes: Object.values(result.metafile.outputs)[0]?.bytes ?? 0, inputs: Object.keys(result.metafile.inputs) };
}
