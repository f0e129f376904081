import { bundle } from "./bundle.js";

/** Makes dist/podmend.cjs, which is all that the image runs, and dist/podmend-demo.cjs, which holds the models of the demo as well. */
for (const [outfile, content] of [
  ["dist/podmend.cjs", "image"],
  ["dist/podmend-demo.cjs", "demo"],
] as const) {
  const { sizeBytes } = await bundle(outfile, content);
  console.log(`${outfile}: ${Math.round(sizeBytes / 1024)} KiB`);
}
