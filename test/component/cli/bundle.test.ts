import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, jest, test } from "@jest/globals";
import { bundle } from "../../../scripts/bundle.js";

jest.setTimeout(30_000); // machines that run these may be busy

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

test.each(["image", "demo"] as const)(
  "the %s's bundle holds no library that only the models load, and only when they need it",
  async (content) => {
    const { inputs } = await bundle(join(directory, `${content}.cjs`), content);
    expect(inputs.filter((path) => path.includes("cel-js"))).toEqual([]);
    const text = readFileSync(join(directory, `${content}.cjs`), "utf8");
    expect(text.includes('import("@marcbachmann/cel-js")')).toBe(content === "demo");
    expect(text.includes('require("@marcbachmann/cel-js")')).toBe(false);
  },
);
