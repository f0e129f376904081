import { readFileSync } from "node:fs";
import { basename } from "node:path";
import protobuf from "protobufjs";

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  bytes: "Uint8Array",
  bool: "boolean",
  int32: "number",
  uint32: "number",
  // As text: a number would lose digits, and the loader is told so (longs: String).
  int64: "string",
  uint64: "string",
};

/**
 * The text of a TypeScript module for one .proto file: its descriptor for the loader, and the types of its messages as the
 * loader gives and takes them with `longs: String, enums: String, defaults: true`.
 *
 * `X` is what may be sent, where anything may be absent; `XOutput` is what arrives, where only messages may be.
 */
export function protoModule({ file, name }: { readonly file: string; readonly name: string }): string {
  const { root, package: packageName } = protobuf.parse(readFileSync(file, "utf8"), { keepCase: false });
  root.resolveAll();
  const namespace = root.lookup(packageName ?? "") as protobuf.Namespace;
  const parts = [
    `// Generated from ${basename(file)} by npm run gen; do not edit.\n`,
    `export const ${name}_DESCRIPTOR: object = ${JSON.stringify(root.toJSON())};\n`,
    ...namespace.nestedArray.map(declaration),
    methods(name, namespace),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function declaration(object: protobuf.ReflectionObject): string {
  if (object instanceof protobuf.Enum) return enumType(object);
  if (object instanceof protobuf.Type) return messageTypes(object);
  return "";
}

function enumType(type: protobuf.Enum): string {
  const words = Object.keys(type.values).map((word) => JSON.stringify(word));
  return `/** A number where the runtime knows a word that we do not. */\nexport type ${type.name} = ${words.join(" | ")} | number;\n`;
}

function messageTypes(type: protobuf.Type): string {
  const sent = type.fieldsArray.map((field) => `  readonly ${field.name}?: ${fieldType(field, "")};\n`);
  const received = type.fieldsArray.map((field) => `  readonly ${field.name}: ${fieldType(field, "Output")}${orNull(field)};\n`);
  return `${typeAlias(type.name, sent)}\n${typeAlias(`${type.name}Output`, received)}`;
}

function typeAlias(name: string, members: readonly string[]): string {
  if (members.length === 0) return `export type ${name} = Readonly<Record<string, never>>;\n`;
  return `export interface ${name} {\n${members.join("")}}\n`;
}

function fieldType(field: protobuf.Field, suffix: string): string {
  const single = singleType(field, suffix);
  if (field.map) return `Readonly<Record<string, ${single}>>`;
  return field.repeated ? `readonly ${single}[]` : single;
}

function singleType(field: protobuf.Field, suffix: string): string {
  if (field.resolvedType instanceof protobuf.Type) return `${field.resolvedType.name}${suffix}`;
  if (field.resolvedType instanceof protobuf.Enum) return field.resolvedType.name;
  const scalar = SCALARS[field.type];
  if (scalar === undefined) throw new Error(`Cannot write type of field "${field.fullName}": ${field.type} is unknown here`);
  return scalar;
}

function orNull(field: protobuf.Field): string {
  return field.resolvedType instanceof protobuf.Type && !field.repeated && !field.map ? " | null" : "";
}

/** Per method: what a client sends and gets back, what a server receives and answers. */
function methods(name: string, namespace: protobuf.Namespace): string {
  const services = namespace.nestedArray.filter((object) => object instanceof protobuf.Service);
  const all = services.flatMap((service) => service.methodsArray);
  const prefix = name.charAt(0) + name.slice(1).toLowerCase();
  const entries = (stream: boolean): readonly string[] =>
    all.filter((method) => (method.responseStream ?? false) === stream).map((method) => methodEntry(method));
  return `${typeAlias(`${prefix}UnaryMethods`, entries(false))}\n${typeAlias(`${prefix}StreamMethods`, entries(true))}`;
}

function methodEntry({ name, requestType, responseType }: protobuf.Method): string {
  const members = `request: ${requestType}; response: ${responseType}Output; received: ${requestType}Output; answer: ${responseType}`;
  return `  readonly ${name}: { ${members} };\n`;
}
