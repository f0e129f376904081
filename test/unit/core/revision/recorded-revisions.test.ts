import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { revisionData, templateOfRevision } from "../../../../src/core/revision/revision-data.js";
import { revisionHash, revisionName, shortHash } from "../../../../src/core/revision/revision-name.js";
import { defaultTemplate } from "../../../../src/core/revision/template-defaults.js";

/** Every ControllerRevision that a running OpenKruise was recorded to write, whatever its feature gates; all belong to CloneSets named web. */
interface RecordedRevision {
  readonly name: string;
  readonly hash: string;
  readonly recordings: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly data: unknown;
}

const RECORDED = JSON.parse(
  readFileSync(new URL("../../../golden/revisions.json", import.meta.url), "utf8"),
) as readonly RecordedRevision[];

/** The paths, from the template, of everything that a user need not write. */
const DEFAULTED = [
  ["metadata", "creationTimestamp"],
  ["spec", "dnsPolicy"],
  ["spec", "restartPolicy"],
  ["spec", "schedulerName"],
  ["spec", "securityContext"],
  ...["imagePullPolicy", "resources", "terminationMessagePath", "terminationMessagePolicy"].map((field) => [
    "spec",
    "containers",
    "*",
    field,
  ]),
  ["spec", "containers", "*", "env", "*", "valueFrom", "fieldRef", "apiVersion"],
];

function without(value: unknown, path: readonly string[]): unknown {
  const [key = "", ...rest] = path;
  if (key === "*" && Array.isArray(value)) return value.map((element) => without(element, rest));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name !== key) return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, without(member, rest)] as const];
  });
  return Object.fromEntries(members);
}

function templateIn(recorded: RecordedRevision): PodTemplate {
  const template = templateOfRevision(recorded.data);
  if (template === undefined) throw new Error(`${recorded.name} holds no template`);
  return template;
}

function nameFor(template: unknown): string {
  return revisionName("web", revisionHash(revisionData(defaultTemplate(template as PodTemplate)).text, 0));
}

test("the recordings hold revisions of both sets of feature gates", () => {
  const files = RECORDED.flatMap(({ recordings }) => recordings);
  expect([RECORDED.length, files.length, files.filter((file) => file.startsWith("default-gates/")).length]).toEqual([9, 22, 11]);
});

for (const recorded of RECORDED) {
  describe(`revision ${recorded.name} of ${recorded.recordings[0]}`, () => {
    const template = templateIn(recorded);
    const minimal = DEFAULTED.reduce<unknown>(without, template);

    test("has the name, the hash and the data that its own template gives", () => {
      expect(revisionData(template).data).toEqual(recorded.data);
      expect(nameFor(template)).toBe(recorded.name);
      expect(shortHash(recorded.name)).toBe(recorded.hash);
      expect(recorded.labels["controller.kubernetes.io/hash"]).toBe(recorded.hash);
    });

    test("has the same data when the user writes nothing that has a default", () => {
      expect(JSON.stringify(minimal)).not.toMatch(/creationTimestamp|terminationMessage|imagePullPolicy|resources|dnsPolicy|apiVersion/);
      expect(revisionData(defaultTemplate(minimal as PodTemplate)).data).toEqual(recorded.data);
      expect(nameFor(minimal)).toBe(recorded.name);
    });

    for (const path of DEFAULTED) {
      test(`keeps its name without ${path.join(".")}`, () => {
        expect(nameFor(without(template, path))).toBe(recorded.name);
      });
    }
  });
}
