import { describe, expect, test } from "@jest/globals";
import { type Failure, withFailures } from "../../../../src/core/clone-set/conditions.js";

const failure = (message: string, type: Failure["type"] = "FailedUpdate"): Failure => ({ type, reason: "Why", message });

describe("withFailures()", () => {
  test("keeps the two types apart", () => {
    const conditions = withFailures([], [failure("a"), failure("b", "FailedScale")], "now");
    expect(conditions).toMatchObject([
      { type: "FailedScale", message: "b" },
      { type: "FailedUpdate", message: "a" },
    ]);
  });

  test("tells up to three different messages of a type", () => {
    const failures = ["a", "b", "a", "c", "d"].map((message) => failure(message));
    expect(withFailures([], failures, "now")).toMatchObject([{ reason: "Why", message: "a; b; c" }]);
  });

  test("takes over a failure that OpenKruise left and nobody has any more", () => {
    expect(withFailures([{ type: "FailedUpdate", status: "True", message: "old" }], [], "now")).toEqual([]);
  });
});
