import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].sort();

test("docs/errors.md lists every code that an adapter makes, and no other", () => {
  const kube = found(read("src/kube/failures.ts"), /"(KUBE_[A-Z_]+)"/g);
  const cri = found(read("src/cri/failures.ts"), /\["[a-z]+", "([A-Z_]+)"\]/g).map((name) => `CRI_${name}`);
  expect(kube.length).toBeGreaterThan(10);
  expect(cri.length).toBeGreaterThan(10);
  expect(found(read("docs/errors.md"), /`((?:KUBE|CRI)_[A-Z_]+)`/g)).toEqual([...cri, ...kube].sort());
});

test("every gate of the flag is known to docs/feature-gates.md if something hangs on it", async () => {
  const { GATES } = await import("../../src/lib/feature-gates.js");
  const documented = found(read("docs/feature-gates.md"), /^\| `(\w+)`/gm);
  const implemented = Object.entries(GATES).filter(([, { implemented }]) => implemented);
  expect(documented).toEqual(implemented.map(([name]) => name).sort());
});

test("docs/events.md names no reason that the code does not know", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const code = sources.map((path) => read(join("src", path))).join("\n");
  const reasons = found(read("docs/events.md"), /`([A-Z][a-z]+(?:[A-Z][a-zA-Z]*)+)`/g).filter((word) => !KINDS_AND_FIELDS.includes(word));
  expect(reasons.length).toBeGreaterThan(25);
  expect(reasons.filter((reason) => !code.includes(`"${reason}"`) && !code.includes(`${reason}:`))).toEqual([]);
});

const KINDS_AND_FIELDS = ["InPlaceOnly", "InPlaceUpdateReady"];
