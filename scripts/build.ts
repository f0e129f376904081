import { bundle } from "./bundle.js";

/** Makes dist/podmend.cjs, which is all that the image runs. */
const outfile = "dist/podmend.cjs";
const sizeBytes = await bundle(outfile);
console.log(`${outfile}: ${Math.round(sizeBytes / 1024)} KiB`);
