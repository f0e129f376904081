import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { describeFlags, parseFlags } from "../../../src/lib/flags.js";

const TABLE = {
  addr: { kind: "string", fallback: ":10221", help: "Listen address." },
  v: { kind: "integer", fallback: 2, help: "Verbosity.", min: 0, max: 10 },
  "enable-pprof": { kind: "boolean", fallback: true, help: "Profiles." },
  "logging-format": { kind: "string", fallback: "json", help: "Format.", choices: ["json", "text"] },
  logtostderr: { kind: "boolean", fallback: false, help: "Old.", ignored: "logs go to standard output" },
} as const;

describe("parseFlags()", () => {
  test.each([
    { args: [], want: { addr: ":10221", v: 2, "enable-pprof": true } },
    { args: ["-v=5"], want: { v: 5 } },
    { args: ["-v", "5"], want: { v: 5 } },
    { args: ["--v=5", "--v=6"], want: { v: 6 } },
    { args: ["-addr=:1"], want: { addr: ":1" } },
    { args: ["--addr", ":2", "--enable-pprof=false"], want: { addr: ":2", "enable-pprof": false } },
    { args: ["--addr="], want: { addr: "" } },
    { args: ["--addr=a=b"], want: { addr: "a=b" } },
    { args: ["--enable-pprof", "-v=1"], want: { "enable-pprof": true, v: 1 } },
    { args: ["--enable-pprof=F"], want: { "enable-pprof": false } },
  ])("reads $args", ({ args, want }) => {
    expect(parseFlags(TABLE, args).values).toMatchObject(want);
  });

  test.each([
    { args: ["--adr=:1"], message: /unknown flag "--adr": allowed are --addr, --v/ },
    { args: ["--enablepprof"], message: /unknown flag "--enablepprof": did you mean --enable-pprof/ },
    { args: ["--v=11"], message: /invalid value "11" for flag "--v": allowed are whole numbers from 0 to 10/ },
    { args: ["--v=five"], message: /invalid value "five" for flag "--v"/ },
    { args: ["--v="], message: /invalid value "" for flag "--v"/ },
    { args: ["--v"], message: /flag "--v" needs a value/ },
    { args: ["--enable-pprof=maybe"], message: /invalid value "maybe" for flag "--enable-pprof": allowed are true and false/ },
    { args: ["--logging-format=xml"], message: /invalid value "xml" for flag "--logging-format": allowed are json, text/ },
    { args: ["agent"], message: /unexpected argument "agent"/ },
    { args: ["--"], message: /unexpected argument "--"/ },
    { args: ["--constructor=1"], message: /unknown flag "--constructor"/ },
  ])("refuses $args in one line", ({ args, message }) => {
    expect(() => parseFlags(TABLE, args)).toThrow(TypeError);
    expect(() => parseFlags(TABLE, args)).toThrow(message);
  });

  test("names given flags that have no effect", () => {
    expect(parseFlags(TABLE, ["--logtostderr=true"]).ignored).toEqual(["logtostderr"]);
  });

  test("never throws anything but a one-line TypeError", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("--v", "-addr", "--enable-pprof=", "--v=1"))), (args) => {
        try {
          parseFlags(TABLE, args);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});

describe("describeFlags()", () => {
  test("shows default, choices and what has no effect", () => {
    const text = describeFlags(TABLE);
    expect(text).toContain("--v integer\n        Verbosity. (default 2)");
    expect(text).toContain("One of: json, text.");
    expect(text).toContain("Accepted without effect: logs go to standard output.");
  });
});
