import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseVerboseInfo } from "../../../src/cri/verbose-info.js";

function envOf(info: unknown): readonly (readonly [string, string])[] | undefined {
  const { env } = parseVerboseInfo({ info: JSON.stringify(info) });
  return env === undefined ? undefined : [...env];
}

describe("parseVerboseInfo()", () => {
  test("prefers what the OCI runtime was told, which holds the image's variables too", () => {
    const info = { config: { envs: [{ key: "A", value: "1" }] }, runtimeSpec: { process: { env: ["PATH=/bin", "A=1"] } } };

    expect(envOf(info)).toEqual([
      ["PATH", "/bin"],
      ["A", "1"],
    ]); // prettier-ignore
  });

  test("takes what the kubelet asked for where there is no more, an omitted value being empty", () => {
    expect(envOf({ config: { envs: [{ key: "A", value: "1" }, { key: "EMPTY" }] } })).toEqual([
      ["A", "1"],
      ["EMPTY", ""],
    ]); // prettier-ignore
  });

  test("of two entries with one name the later wins", () => {
    expect(envOf({ runtimeSpec: { process: { env: ["A=image", "B=2", "A=pod"] } } })).toEqual([
      ["A", "pod"],
      ["B", "2"],
    ]); // prettier-ignore
    expect(
      envOf({
        config: {
          envs: [
            { key: "A", value: "1" },
            { key: "A", value: "2" },
          ],
        },
      }),
    ).toEqual([["A", "2"]]);
  });

  test("keeps every byte of a value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(envOf({ runtimeSpec: { process: { env: [`KEY=${value}`] } } })).toEqual([["KEY", value]]);
      }),
    );
  });

  test("a container without any variable has an empty environment, not an unknown one", () => {
    expect(envOf({ runtimeSpec: { process: { env: [] } } })).toEqual([]);
  });

  test.each([
    ["no info at all", {}],
    ["another key", { sandboxID: "{}" }],
    ["no JSON", { info: "pid: 17" }],
    ["JSON that is cut off", { info: '{"runtimeSpec":{"process":{"env":["A=' }],
    ["a list", { info: "[]" }],
    ["null", { info: "null" }],
    ["a spec of another shape", { info: '{"runtimeSpec":[{"process":null}],"config":"x"}' }],
    ["env of numbers", { info: '{"runtimeSpec":{"process":{"env":[1]}},"config":{"envs":[{"key":1}]}}' }],
    ["env of nulls", { info: '{"runtimeSpec":{"process":{"env":null}},"config":{"envs":null}}' }],
  ])("tells no environment from %s", (_title, info) => {
    expect(parseVerboseInfo(info)).toEqual({ sandboxId: undefined, env: undefined });
  });

  test("never throws, whatever a runtime writes", () => {
    fc.assert(
      fc.property(fc.json(), (info) => {
        parseVerboseInfo({ info });
      }),
    );
  });
});
