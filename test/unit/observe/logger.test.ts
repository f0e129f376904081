import { Writable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { createLogger } from "../../../src/observe/logger.js";

function capture(): { stream: Writable; lines: () => string[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  return { stream, lines: () => written.join("").split("\n").filter(Boolean) };
}

describe("createLogger()", () => {
  test("writes one JSON object a line with time, level, message and the fields of parents and children", () => {
    const { stream, lines } = capture();
    const logger = createLogger({ verbosity: 2, format: "json", fields: { component: "agent" }, stream });
    logger.child({ key: "node1" }).info("Image pulled", { durationMs: 12, auth: { password: "x" } });
    const line = JSON.parse(lines()[0] ?? "") as Record<string, unknown>;
    expect(line).toMatchObject({
      level: "info",
      msg: "Image pulled",
      component: "agent",
      key: "node1",
      durationMs: 12,
      auth: "[redacted]",
    });
    expect(line["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test.each([
    { verbosity: 3, want: 0 },
    { verbosity: 4, want: 1 },
  ])("writes $want debug lines at -v=$verbosity", ({ verbosity, want }) => {
    const { stream, lines } = capture();
    const logger = createLogger({ verbosity, format: "json", fields: {}, stream });
    logger.debug("Container looked at");
    expect(lines()).toHaveLength(want);
    expect(logger.isDebugEnabled()).toBe(want === 1);
  });

  test("a field cannot replace the line's own time, level or message", () => {
    const { stream, lines } = capture();
    createLogger({ verbosity: 0, format: "json", fields: {}, stream }).warn("Watch ends", { level: "info", msg: "no", time: "never" });
    expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ level: "warn", msg: "Watch ends" });
  });

  test("writes text for people", () => {
    const { stream, lines } = capture();
    createLogger({ verbosity: 0, format: "text", fields: { node: "n1" }, stream }).error("Pull fails", { failure: { code: "X" } });
    expect(lines()[0]).toMatch(/ERROR Pull fails node=n1 failure=\{"code":"X"\}$/);
  });
});
