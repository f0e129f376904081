import { describe, expect, test } from "@jest/globals";
import { podsSurvive } from "../../../faults/invariants/pods-survive.js";
import { broken, CONTROLLER, PLAN, pod, read, set, step, stored } from "./journals.js";

const PATH = "DELETE /api/v1/namespaces/shop/pods/web-a";

function deletionWith(replicas: number, isDone = true): Parameters<typeof broken>[1] {
  return [
    stored(1, "clonesets", set(replicas)),
    read(2, CONTROLLER, "clonesets"),
    stored(3, "pods", pod("web-a")),
    stored(4, "pods", pod("web-b")),
    read(4, CONTROLLER, "pods"),
    ...(isDone ? [stored(5, "pods", pod("web-a"), "DELETED")] : []),
    step(5, "applied", CONTROLLER, "delete-pod", PATH),
  ];
}

describe("pods-survive", () => {
  test("lets pods be deleted to scale down, and to be replaced", () => {
    expect(broken(podsSurvive, deletionWith(1))).toEqual([]);
    expect(broken(podsSurvive, deletionWith(2), { ...PLAN, flow: "recreate" })).toEqual([]);
    expect(broken(podsSurvive, deletionWith(2, false))).toEqual([]);
  });

  test("asks for no more than the life could know", () => {
    const PATH_B = PATH.replace("web-a", "web-b");
    const meanwhile = deletionWith(1).flatMap((entry) => (entry.type === "step" ? [] : [entry]));
    const own = [stored(1_000, "pods", pod("web-b"), "DELETED"), step(1_000, "applied", CONTROLLER, "delete-pod", PATH_B)];
    expect(broken(podsSurvive, [...meanwhile, ...own])).toEqual([]);
    expect(broken(podsSurvive, [...meanwhile, read(5, CONTROLLER, "pods"), ...own])).toEqual(["pods-survive"]);
  });

  test("finds the deletion of a pod that the set wants", () => {
    expect(broken(podsSurvive, deletionWith(2))).toEqual(["pods-survive"]);
  });
});
