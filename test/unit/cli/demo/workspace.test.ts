import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openWorkspace, RUNTIME_SOCKET } from "../../../../src/cli/demo/workspace.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "podmend-roots-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function other(name: string): string {
  const directory = join(root, name);
  mkdirSync(directory);
  return directory;
}

describe("openWorkspace()", () => {
  test("leaves the directory of a run that lives or has just begun, and what is no demo's", async () => {
    const [living, young, foreign] = [other("podmend-demo-a"), other("podmend-demo-b"), other("something")];
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(living, RUNTIME_SOCKET), resolve));
    const { directory, leftovers, remove } = await openWorkspace(Date.now(), root);
    expect(leftovers).toEqual([]);
    expect([living, young, foreign, directory].map(existsSync)).toEqual([true, true, true, true]);
    await remove();
    expect(existsSync(directory)).toBe(false);
    server.close();
  });

  test("removes the directory of a run that got no further than making it, a minute later", async () => {
    const old = other("podmend-demo-a");
    expect((await openWorkspace(Date.now() + 59_000, root)).leftovers).toEqual([]);
    expect((await openWorkspace(Date.now() + 61_000, root)).leftovers).toContain(old);
    expect(existsSync(old)).toBe(false);
  });
});
