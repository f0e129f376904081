import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parsePreStop, remainingGraceSeconds } from "../../../../src/core/container-restart/pre-stop.js";

describe("parsePreStop()", () => {
  test.each([
    { text: undefined, want: undefined },
    { text: "", want: undefined },
    { text: "{}", want: undefined },
    { text: '{"exec":{"command":["sh","-c","x"]}}', want: { type: "exec", command: ["sh", "-c", "x"] } },
    { text: '{"sleep":{"seconds":3}}', want: { type: "sleep", seconds: 3 } },
    { text: '{"httpGet":{"port":80}}', want: { type: "unsupported", handler: "httpGet" } },
    { text: '{"tcpSocket":{"port":80}}', want: { type: "unsupported", handler: "tcpSocket" } },
    { text: '{"exec":{"command":[]}}', want: { type: "unsupported", handler: "malformed" } },
    { text: '{"exec":{"command":["sh",1]}}', want: { type: "unsupported", handler: "malformed" } },
    { text: '{"exec":{"command":[1]}}', want: { type: "unsupported", handler: "malformed" } },
    { text: '{"sleep":{"seconds":"3"}}', want: { type: "unsupported", handler: "malformed" } },
    { text: "[]", want: { type: "unsupported", handler: "malformed" } },
    { text: "{", want: { type: "unsupported", handler: "malformed" } },
  ])("reads $text", ({ text, want }) => {
    expect(parsePreStop(text)).toEqual(want);
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        parsePreStop(text);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("remainingGraceSeconds()", () => {
  test.each([
    { graceSeconds: 30, preStopMs: 0, want: 30 },
    { graceSeconds: 30, preStopMs: 999, want: 30 },
    { graceSeconds: 30, preStopMs: 1_000, want: 29 },
    { graceSeconds: 30, preStopMs: 29_000, want: 2 },
    { graceSeconds: 0, preStopMs: 0, want: 2 },
  ])("is $want after $preStopMs ms of $graceSeconds s", ({ graceSeconds, preStopMs, want }) => {
    expect(remainingGraceSeconds(graceSeconds, preStopMs)).toBe(want);
  });
});
