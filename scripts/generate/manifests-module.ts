import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

/** The objects of the shipped manifests that an API server itself acts by. */
const ACTED_ON: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

/** The text of a TypeScript module that holds such objects, without what only people read, so that a bundled demo needs no YAML. */
export function manifestsModule(files: readonly string[]): string {
  const objects = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, "utf8"))
      .map((document) => document.toJS() as { readonly kind?: string })
      .filter(({ kind }) => kind !== undefined && ACTED_ON.has(kind)),
  );
  const text = JSON.stringify(objects, (name, value: unknown) => (name === "description" && typeof value === "string" ? undefined : value));
  return [
    "// Generated from the shipped manifests by npm run gen; do not edit.\n",
    "/** Definitions, roles, bindings and policies of an installation. */",
    `export const SHIPPED_OBJECTS: readonly { readonly [name: string]: unknown }[] = JSON.parse(${JSON.stringify(text)});\n`,
  ].join("\n");
}
