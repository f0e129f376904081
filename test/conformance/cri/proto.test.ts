import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import protobuf from "protobufjs";
import { clusterModuleVersion, goModuleDirectory, goProblem } from "../../support/go-module.js";

const MODULE = "k8s.io/cri-api";
const PROTO = join(import.meta.dirname, "../../../proto");
const OURS = ["runtime.proto", "testing/sandboxes.proto"] as const;

const problem = goProblem();
if (problem !== undefined) console.log(`Skipping the comparison with ${MODULE}: ${problem}`);

(problem === undefined || process.env["CI"] === "true" ? describe : describe.skip)(`proto, compared with ${MODULE}`, () => {
  test("the official definitions are of the version that the cluster is built from", () => {
    expect(clusterModuleVersion(MODULE)).toBe("v0.35.4");
  });

  test.each(OURS)("every name, number, label and type in %s is the official one", (file) => {
    const official = facts(officialProto());
    const ours = facts(readFileSync(join(PROTO, file), "utf8"));

    expect(ours.size).toBeGreaterThan(20);
    for (const [name, fact] of ours) expect([name, official.get(name)]).toEqual([name, fact]);
  });

  test("a wrong number, type, label, name, enum value and reply type would each be found", () => {
    const official = facts(officialProto());
    const ours = readFileSync(join(PROTO, OURS[0]), "utf8");
    const errors = [
      ["string runtime_name = 2", "string runtime_name = 5"],
      ["int32 exit_code = 7", "int64 exit_code = 7"],
      ["repeated string cmd = 2", "string cmd = 2"],
      ["string image_ref = 9", "string image_reference = 9"],
      ["CONTAINER_EXITED = 2", "CONTAINER_EXITED = 4"],
      ["map<string, string> labels = 12", "map<string, bytes> labels = 12"],
      ["returns (ListImagesResponse)", "returns (ImageStatusResponse)"],
      ["returns (stream ContainerEventResponse)", "returns (ContainerEventResponse)"],
      ["package runtime.v1;", "package runtime.v1alpha2;"],
    ] as const;

    for (const [right, wrong] of errors) {
      expect(ours).toContain(right);
      const changed = facts(ours.replace(right, wrong));
      const found = [...changed].filter(([name, fact]) => official.get(name) !== fact);
      expect([wrong, found.length > 0]).toEqual([wrong, true]);
    }
  });
});

function officialProto(): string {
  return readFileSync(join(goModuleDirectory(MODULE, clusterModuleVersion(MODULE)), "pkg/apis/runtime/v1/api.proto"), "utf8");
}

/** One line per field, enum value and method, by full name. */
function facts(proto: string): ReadonlyMap<string, string> {
  const { root, package: packageName } = protobuf.parse(proto, { keepCase: true });
  const found = new Map<string, string>();
  for (const object of (root.lookup(packageName ?? "") as protobuf.Namespace).nestedArray) {
    if (object instanceof protobuf.Type) {
      found.set(object.fullName, "message");
      for (const field of object.fieldsArray) found.set(field.fullName, fieldFact(field));
    }
    if (object instanceof protobuf.Enum) found.set(object.fullName, `enum ${JSON.stringify(object.values)}`);
    if (object instanceof protobuf.Service) {
      for (const method of object.methodsArray) found.set(method.fullName, methodFact(method));
    }
  }
  return found;
}

function fieldFact(field: protobuf.Field): string {
  const label = field.repeated ? "repeated " : "";
  const key = field instanceof protobuf.MapField ? `map from ${field.keyType} to ` : "";
  const oneof = field.partOf === null ? "" : ` in ${field.partOf.name}`;
  return `${label}${key}${field.type} = ${field.id}${oneof}`;
}

function methodFact({ requestType, responseType, requestStream, responseStream }: protobuf.Method): string {
  const stream = (isStream: boolean | undefined): string => (isStream === true ? "stream " : "");
  return `(${stream(requestStream)}${requestType}) returns (${stream(responseStream)}${responseType})`;
}
