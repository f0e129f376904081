import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { eventually } from "../support/eventually.js";
import {
  applyCloneSet,
  dropNamespace,
  envFrom,
  instances,
  isReady,
  makeNamespace,
  patchCloneSet,
  podsOf,
  settled,
  theOnly,
} from "./support/cluster.js";
import { kubectl, liveEnv } from "./support/processes.js";

jest.setTimeout(240_000);
const OFF = "ImagePullJobGate=true,InPlaceUpdateEnvFromMetadata=false";
const ON = "ImagePullJobGate=true";
let namespace: string;

async function setGates(gates: string): Promise<void> {
  for (const workload of ["daemonset/podmend-agent", "deployment/podmend-controller"]) {
    const args = JSON.parse(
      await kubectl("-n", "podmend-system", "get", workload, "-o", "jsonpath={.spec.template.spec.containers[0].args}"),
    ) as string[];
    const index = args.findIndex((arg) => arg.startsWith("--feature-gates="));
    const patch = [{ op: "replace", path: `/spec/template/spec/containers/0/args/${index}`, value: `--feature-gates=${gates}` }];
    await kubectl("-n", "podmend-system", "patch", workload, "--type=json", "-p", JSON.stringify(patch));
  }
  for (const workload of ["daemonset/podmend-agent", "deployment/podmend-controller"]) {
    await kubectl("-n", "podmend-system", "rollout", "status", workload, "--timeout=90s");
  }
}

beforeAll(async () => {
  namespace = await makeNamespace("gates");
  await setGates(OFF);
});
afterAll(async () => {
  await setGates(ON);
  await dropNamespace(namespace);
});

test("without InPlaceUpdateEnvFromMetadata an annotation change is applied and restarts nothing", async () => {
  const podSpec = { containers: [{ name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] }] };
  const set = { name: "gate-off", namespace, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await eventually(async () => expect(theOnly(await podsOf(set)).metadata.annotations?.["config"]).toBe("two"), 20_000);
  await settled(set);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const after = theOnly(await podsOf(set));
  expect(isReady(after)).toBe(true);
  expect(instances(after)).toEqual(instances(before));
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("one");
});
