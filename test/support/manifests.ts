import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

/** The container of a workload, as a manifest has it. */
export interface ManifestContainer {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** The container of the shipped manifests that runs this command of ours, if one does. */
export function shippedContainer(command: string): ManifestContainer | undefined {
  return ["daemonset.yaml", "deploy/controller.yaml"].flatMap(containersOf).find(({ args }) => args?.[0] === command);
}

function containersOf(manifest: string): readonly ManifestContainer[] {
  const text = readFileSync(new URL(`../../${manifest}`, import.meta.url), "utf8");
  return parseAllDocuments(text).flatMap((document) => {
    const { spec } = document.toJS() as { spec?: { template?: { spec?: { containers?: readonly ManifestContainer[] } } } };
    return spec?.template?.spec?.containers ?? [];
  });
}
