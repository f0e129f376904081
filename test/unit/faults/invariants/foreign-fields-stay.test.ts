import { describe, expect, test } from "@jest/globals";
import { FOREIGN_ANNOTATION } from "../../../faults/faults/user-faults.js";
import { foreignFieldsStay } from "../../../faults/invariants/foreign-fields-stay.js";
import { at, broken, pod, stored } from "./journals.js";

const ANNOTATED = [
  at(1, { type: "user", action: "annotates", subject: "web-a-uid" }),
  stored(2, "pods", pod("web-a", { annotations: { [FOREIGN_ANNOTATION]: "somebody" } })),
];

describe("foreign-fields-stay", () => {
  test("lets a pod be written with everything that others wrote, and other pods without it", () => {
    const later = [stored(3, "pods", pod("web-a", { annotations: { [FOREIGN_ANNOTATION]: "somebody" } })), stored(4, "pods", pod("web-b"))];
    expect(broken(foreignFieldsStay, [...ANNOTATED, ...later])).toEqual([]);
  });

  test("finds a write that drops what others wrote", () => {
    expect(broken(foreignFieldsStay, [...ANNOTATED, stored(3, "pods", pod("web-a"))])).toEqual(["foreign-fields-stay"]);
  });
});
