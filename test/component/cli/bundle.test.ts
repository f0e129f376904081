import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { bundle } from "../../../scripts/bundle.js";

const directory = mkdtempSync(join(tmpdir(), "podmend-bundles-"));

afterAll(() => rmSync(directory, { recursive: true }));

test("the bundle that the image runs holds agent and controller and nothing of the models", async () => {
  const { inputs } = await bundle(join(directory, "podmend.cjs"));
  expect(inputs).toEqual(expect.arrayContaining(["src/main.ts", "src/cli/agent.ts", "src/cli/controller.ts"]));
  expect(inputs.filter((path) => path.startsWith("src/sim/"))).toEqual([]);
  expect(inputs.filter((path) => path.startsWith("src/cli/demo/"))).toEqual(["src/cli/demo/flags.ts"]);
});

test("the demo's bundle holds them", async () => {
  const { inputs } = await bundle(join(directory, "podmend-demo.cjs"), "demo");
  expect(inputs).toEqual(expect.arrayContaining(["src/cli/agent.ts", "src/sim/kubelet/kubelet.ts", "src/sim/api-server/api-server.ts"]));
});
