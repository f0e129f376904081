/**
 * `npm run gen` writes every generated file; `npm run gen -- --check` only says which ones differ, and fails if any does.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { manifestsModule } from "./generate/manifests-module.js";
import { protoModule } from "./generate/proto-module.js";

interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly content: () => string;
}

const ROOT = join(import.meta.dirname, "..");

const runtime = (): string => protoModule({ file: join(ROOT, "proto/runtime.proto"), name: "RUNTIME" });
const sandboxes = (): string => protoModule({ file: join(ROOT, "proto/testing/sandboxes.proto"), name: "SANDBOXES" });

const manifests = (): string => {
  const crds = readdirSync(join(ROOT, "deploy/crds")).sort();
  return manifestsModule([
    ...crds.map((name) => join(ROOT, "deploy/crds", name)),
    join(ROOT, "daemonset.yaml"),
    join(ROOT, "deploy/controller.yaml"),
  ]);
};

// The model of the runtime gets a copy of its own: it may not import from cri.
const GENERATED: readonly GeneratedFile[] = [
  { path: "src/cri/gen/runtime-proto.ts", content: runtime },
  { path: "src/sim/runtime/gen/runtime-proto.ts", content: runtime },
  { path: "src/sim/runtime/gen/sandboxes-proto.ts", content: sandboxes },
  { path: "src/sim/api-server/gen/manifests.ts", content: manifests },
];

function staleFiles(): readonly GeneratedFile[] {
  return GENERATED.filter(({ path, content }) => {
    const file = join(ROOT, path);
    return !existsSync(file) || readFileSync(file, "utf8") !== content();
  });
}

function check(): void {
  const stale = staleFiles();
  for (const { path } of stale) console.error(`${path}: differs from what \`npm run gen\` writes`);
  if (stale.length > 0) process.exitCode = 1;
  else console.log(`${GENERATED.length} generated files are up to date`);
}

function write(): void {
  for (const { path, content } of staleFiles()) {
    const file = join(ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content());
    console.log(`wrote ${relative(process.cwd(), file)}`);
  }
}

if (process.argv.includes("--check")) check();
else write();
