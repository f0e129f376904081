import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { EnvVar } from "../../../../src/api/pod.js";
import { expectedEnvHash } from "../../../../src/core/values/env-from-metadata.js";
import { plainHash } from "../../../../src/core/values/hash.js";

/** A container as a recorded pod had it, and the hashes that OpenKruise's daemon reported for it once it ran. */
interface RecordedContainer {
  readonly recording: string;
  readonly name: string;
  readonly image: string;
  readonly env: readonly EnvVar[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly plainHash: number;
  readonly envHash: number;
}

const RECORDED = JSON.parse(
  readFileSync(new URL("../../../golden/container-hashes.json", import.meta.url), "utf8"),
) as readonly RecordedContainer[];

for (const container of RECORDED) {
  const { recording, name, image, annotations } = container;
  test(`${name} with ${image} and config ${annotations["config"] ?? "none"} has the hashes of ${recording}`, () => {
    expect({ plainHash: plainHash(container), envHash: expectedEnvHash(container, { annotations }) }).toEqual({
      plainHash: container.plainHash,
      envHash: container.envHash,
    });
  });
}
