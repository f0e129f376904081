import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { ALLOWED_IMPORTS, PACKAGE_OWNERS, importRules } from "../../eslint.imports.js";

const ROOMS = Object.keys(ALLOWED_IMPORTS);
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [{ files: ["**/*.ts"], languageOptions: { parser: tseslint.parser } }, ...importRules()],
});

async function problems(room: string, source: string): Promise<number> {
  const [result] = await eslint.lintText(source, { filePath: join("src", room, "feature", "fixture.ts") });
  return result?.errorCount ?? 0;
}

const allows = (room: string, other: string): boolean => room === other || ALLOWED_IMPORTS[room]?.includes(other) === true;
const pairs = ROOMS.flatMap((room) => ROOMS.map((other) => ({ room, other, verdict: allows(room, other) ? "may" : "may not" })));

describe("the import table", () => {
  test.each(pairs)("src/$room $verdict import src/$other", async ({ room, other, verdict }) => {
    // The agent knows cri only as its port, so that file stands for the room.
    const file = other === "cri" ? "runtime" : "thing";
    const forms = [
      `import { thing } from "../../${other}/${file}.js";\nexport const x = thing;`,
      `import type { Thing } from "../../${other}/${file}.js";\nexport type X = Thing;`,
      `export { thing } from "../../${other}/${file}.js";`,
      `export const x = import("../../${other}/${file}.js");`,
    ];
    for (const source of forms) expect([source, (await problems(room, source)) > 0]).toEqual([source, verdict === "may not"]);
  });

  test.each(
    Object.entries(PACKAGE_OWNERS).flatMap(([name, owners]) => ROOMS.map((room) => ({ name, room, isOwner: owners.includes(room) }))),
  )("src/$room imports $name: $isOwner", async ({ name, room, isOwner }) => {
    expect((await problems(room, `import thing from "${name}";\nexport const x = thing;`)) === 0).toBe(isOwner);
  });

  test.each(["core", "api", "agent", "controller"])("src/%s reaches the machine only through ports", async (room) => {
    expect(await problems(room, `import { readFile } from "node:fs/promises";\nexport const x = readFile;`)).toBeGreaterThan(0);
  });

  test("the agent knows the runtime only as its port", async () => {
    expect(await problems("agent", `import { open } from "../../cri/grpc-runtime.js";\nexport const x = open;`)).toBeGreaterThan(0);
  });

  test.each(ROOMS)("src/%s sends no apply patches, which only the model has to know", async (room) => {
    const forms = [`export const type = "application/apply-patch+yaml";`, "export const type = `application/apply-patch+${'cbor'}`;"];
    for (const source of forms) expect([source, (await problems(room, source)) > 0]).toEqual([source, room !== "sim"]);
  });

  test("nobody imports main", async () => {
    for (const room of ROOMS)
      expect(await problems(room, `import { main } from "../../main.js";\nexport const x = main;`)).toBeGreaterThan(0);
  });
});
