import { expect, test } from "@jest/globals";
import { remember } from "../../../../src/core/values/remember.js";

test.each([
  ["something", (object: { readonly n: number }) => ({ twice: 2 * object.n })],
  ["nothing", () => undefined],
])("remember() works out %s once for each object, equal or not", (_, work) => {
  let count = 0;
  const remembered = remember((object: { readonly n: number }) => {
    count++;
    return work(object);
  });
  const [first, second] = [{ n: 1 }, { n: 1 }];
  for (const object of [first, first, second, first, second]) expect(remembered(object)).toEqual(work(object));
  expect(remembered(first)).toBe(remembered(first));
  expect(count).toBe(2);
});
