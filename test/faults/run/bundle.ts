import { build, type Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../../scripts/run.js";

/** One change of one source file, to see whether the runner notices. */
export interface SourceChange {
  /** From the repository's root. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Bundles the worker with all of the product in it. @throws if a change does not fit the source */
export async function bundleWorker(outfile: string, changes: readonly SourceChange[] = []): Promise<void> {
  await build({
    entryPoints: [join(ROOT, "test/faults/run/worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    sourcemap: "inline",
    logLevel: "error",
    absWorkingDir: ROOT,
    plugins: changes.map(changing),
  });
}

function changing({ file, find, replace }: SourceChange): Plugin {
  return {
    name: "change-source",
    setup(made) {
      const path = join(ROOT, file);
      made.onLoad({ filter: /\.ts$/ }, async (args) => {
        if (args.path !== path) return undefined;
        const source = await readFile(path, "utf8");
        const parts = source.split(find);
        if (parts.length !== 2) throw new Error(`Cannot change ${file}: "${find}" occurs ${String(parts.length - 1)} times`);
        return { contents: parts.join(replace), loader: "ts" };
      });
    },
  };
}
