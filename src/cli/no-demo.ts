/** Stands for `podmend demo` in the image, which does without the models. @throws {TypeError} always */
export function runDemo(): never {
  throw new TypeError("the demo is not in this bundle: run npm start in a checkout, or dist/podmend-demo.cjs");
}
