/** An image for tests, made of the layers below from first to last. */
export type TestImage = {
  /** Its names in the registry; several are several tags of one digest. */
  readonly names: readonly string[];
  readonly layers: readonly Layer[];
  readonly entrypoint: readonly string[];
};

/** What one layer adds. */
export type Layer =
  | { readonly type: "busybox" }
  /** A script of test/cluster/images. */
  | { readonly type: "script"; readonly file: string }
  | { readonly type: "text"; readonly path: string; readonly text: string }
  | { readonly type: "random"; readonly path: string; readonly sizeBytes: number }
  /** A static Go program, the folder of test/cluster/images it is built from, and the version it prints. */
  | { readonly type: "program"; readonly folder: string; readonly version: string };

const MANY_LAYERS = 40;
const LARGE_BYTES = 100_000_000;

/** Every image that the cluster's registry holds from the start; docs and tests name them as `lab.local/NAME`. */
export const TEST_IMAGES: readonly TestImage[] = [
  { names: ["pause:v1"], layers: [{ type: "busybox" }], entrypoint: ["/bin/sleep", "infinity"] },
  app("v1", ["app:v1", "app:v1-same"]),
  app("v2", ["app:v2"]),
  app("v3", ["app:v3"]),
  withoutShell("v1"),
  withoutShell("v2"),
  scripted("stubborn"),
  scripted("crash"),
  { ...app("many", ["many-layers:v1"]), layers: [...app("many", []).layers, ...manyLayers()] },
  { ...app("large", ["large:v1"]), layers: [...app("large", []).layers, { type: "random", path: "random", sizeBytes: LARGE_BYTES }] },
];

function app(version: string, names: readonly string[]): TestImage {
  const layers: readonly Layer[] = [
    { type: "busybox" },
    { type: "script", file: "app.sh" },
    { type: "text", path: "www/index.html", text: `${version}\n` },
  ];
  return { names, layers, entrypoint: ["/app.sh"] };
}

function withoutShell(version: string): TestImage {
  return { names: [`noenv:${version}`], layers: [{ type: "program", folder: "waiter", version }], entrypoint: ["/waiter"] };
}

function scripted(name: string): TestImage {
  return { names: [`${name}:v1`], layers: [{ type: "busybox" }, { type: "script", file: `${name}.sh` }], entrypoint: [`/${name}.sh`] };
}

function manyLayers(): readonly Layer[] {
  return Array.from({ length: MANY_LAYERS }, (_, index) => ({ type: "text", path: `layers/${index}`, text: `${index}\n` }) as const);
}
