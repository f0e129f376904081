import { describe, expect, test } from "@jest/globals";
import { runCommand } from "../../../src/cli/command.js";
import { systemFiles } from "../../../src/lib/files.js";
import { systemRandom } from "../../../src/lib/random.js";
import { FakeClock } from "../../support/fake-clock.js";

/** Runs a command line that ends by itself. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await runCommand(
    {
      process: {
        args,
        env,
        pid: 1,
        nodeVersion: "v20.0.0",
        writeOut: (text) => void out.push(text),
        writeError: (text) => void errors.push(text),
        onUncaught: () => undefined,
      },
      clock: new FakeClock(),
      random: systemRandom,
      files: systemFiles,
    },
    new AbortController().signal,
  );
  return { code, out: out.join(""), errors: errors.join("") };
}

describe("runCommand()", () => {
  test.each([[], ["help"], ["--help"], ["-h"], ["-help"]])("shows the commands for %j", async (...args) => {
    const { code, out, errors } = await run(args);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const command of ["agent", "controller", "demo", "version"]) expect(out).toContain(`\n  ${command} `);
  });

  test.each(["version", "--version"])("tells the version for %s", async (word) => {
    expect(await run([word])).toEqual({ code: 0, out: "podmend 0.0.0-dev\n", errors: "" });
  });

  test.each([
    { command: "agent", flag: "--socket-file string" },
    { command: "controller", flag: "--cloneset-workers integer" },
    { command: "demo", flag: "--set string" },
  ])("shows the flags of $command without starting it", async ({ command, flag }) => {
    for (const word of ["--help", "-h"]) {
      const { code, out, errors } = await run([command, word]);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(out).toContain(flag);
    }
  });

  test.each([
    { args: ["start"], says: 'podmend start: unknown command "start": allowed are agent, controller, demo, version, help\n' },
    { args: ["agent", "extra"], says: 'podmend agent: unexpected argument "extra": only flags such as --name=value are taken\n' },
    { args: ["a\nb"], says: 'podmend a b: unknown command "a b": allowed are agent, controller, demo, version, help\n' },
  ])("ends with code 2 and one line for $args", async ({ args, says }) => {
    expect(await run(args, { NODE_NAME: "n" })).toEqual({ code: 2, out: "", errors: says });
  });

  test("ends with code 2 outside of a cluster, before anything starts", async () => {
    const { code, out, errors } = await run(["agent"], { NODE_NAME: "n" });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^podmend agent: Cannot find the API server: [^\n]+\n$/);
  });
});
