import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { CloneSetSpec } from "../../../src/api/clone-set.js";
import type { ContainerFacts } from "../../../src/api/node-pod-restart.js";
import type { Pod, PodTemplate } from "../../../src/api/pod.js";
import { CONTROLLER_REVISIONS, NODE_POD_RESTARTS, PODS } from "../../../src/api/resources.js";
import { startCloneSetFixture, type CloneSetFixture } from "../../support/clone-set-fixture.js";
import { DIFFERENCES } from "../../support/differences.js";
import { eventually } from "../../support/eventually.js";
import { readRecording, type Story, StoryTeller } from "../../support/story.js";

jest.setTimeout(30_000);

let fixture: CloneSetFixture;
let teller: StoryTeller;

beforeEach(async () => {
  fixture = await startCloneSetFixture();
  teller = new StoryTeller();
  const told = teller;
  (await fixture.kube.informer<Pod>(PODS)).onChange(({ after }) => void (after && told.see("Pod", after)));
  (await fixture.kube.informer(CONTROLLER_REVISIONS)).onChange(({ after }) => void (after && told.see("ControllerRevision", after)));
});
afterEach(() => fixture.stop());

/** What OpenKruise's webhook added to the template, which nobody does for us. */
const DEFAULTED = [
  "imagePullPolicy",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "resources",
  "dnsPolicy",
  "restartPolicy",
  "schedulerName",
];

function asTheUserWroteIt(template: PodTemplate): PodTemplate {
  const text = JSON.stringify(template, (key, value: unknown) => (DEFAULTED.includes(key) ? undefined : value));
  return JSON.parse(text.replaceAll('"apiVersion":"v1",', "").replaceAll(',"securityContext":{}', "")) as PodTemplate;
}

function recordedSpecs(name: string): { readonly first: CloneSetSpec; readonly second: CloneSetSpec } {
  const [first, second] = readRecording(name).specs;
  if (first === undefined || second === undefined) throw new Error(`recording ${name} holds no change`);
  return { first, second };
}

/** Plays what the user did: creates the CloneSet, waits until it is available, and changes the template. */
async function play(name: string): Promise<void> {
  const { first, second } = recordedSpecs(name);
  const { replicas = 1, selector, template } = first;
  const { type = "", inPlaceUpdateStrategy = {} } = first.updateStrategy ?? {};
  fixture.create({ replicas, selector, template: asTheUserWroteIt(template), updateStrategy: { type, inPlaceUpdateStrategy } });
  await available();
  fixture.change({ template: asTheUserWroteIt(second.template) });
}

function available(timeoutMs = 5_000): Promise<void> {
  return eventually(() => {
    const { status, metadata } = fixture.cloneSet();
    expect(status).toMatchObject({ observedGeneration: metadata.generation, updatedAvailableReplicas: 1, replicas: 1 });
  }, timeoutMs);
}

async function tell(): Promise<Story> {
  await available(10_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  teller.see("CloneSet", fixture.cloneSet());
  for (const event of fixture.events) teller.seeEvent(event);
  return teller.tell();
}

function expectedStory(name: string): Story {
  return DIFFERENCES.reduce((story, difference) => difference.apply(story), readRecording(name).story);
}

/** The agent's report after the restart, with the hashes of the recording. */
function reportRecordedFacts(pod: Pod): void {
  const { uid = "", name, namespace = "" } = pod.metadata;
  const fact = (container: string, restartCount: number, plainHash: number): ContainerFacts => ({
    name: container,
    containerID: `containerd://${name}-${container}-${restartCount}`,
    restartCount,
    state: "Running",
    plainHash,
  });
  const containers = [{ ...fact("app", 1, 2804610836), envHash: 935930711 }, fact("side", 0, 3324433514)];
  const { state } = fixture.kube.server;
  const spec = { podRestarts: [{ uid, name, namespace, requests: [{ id: "1", container: "app", observe: true }] }] };
  state.create(NODE_POD_RESTARTS, { metadata: { name: "node1" }, spec });
  const body = { status: { observedGeneration: 1, podRestartStatuses: [{ uid, containers }] } };
  state.patch(NODE_POD_RESTARTS, { name: "node1" }, { contentType: "application/merge-patch+json", body, subresource: "status" });
}

describe("what other programs see of a rollout", () => {
  test("of an annotation that env reads equals the recording but for the written differences", async () => {
    await play("env-update");
    await eventually(() => expect(fixture.pods()[0]?.metadata.annotations?.["config"]).toBe("two"));
    const [pod] = fixture.pods();
    fixture.kubelet.restart(pod as Pod, "app");
    reportRecordedFacts(pod as Pod);
    expect(await tell()).toEqual(expectedStory("env-update"));
  });

  test("of a label that nothing reads equals the recording but for the written differences", async () => {
    await play("metadata-only");
    expect(await tell()).toEqual(expectedStory("metadata-only"));
  });

  test("of a change that recreates equals the recording but for the written differences", async () => {
    await play("recreate");
    expect(await tell()).toEqual(expectedStory("recreate"));
  });
});

describe("what other programs see of a grace period", () => {
  test("equals the recording but for the written differences", async () => {
    await play("grace");
    expect(await tell()).toEqual(expectedStory("grace"));
  }, 20_000);
});

describe("the written differences", () => {
  const document = readFileSync(new URL("../../../docs/compatibility.md", import.meta.url), "utf8");
  const recordings = ["env-update", "metadata-only", "recreate", "grace"].map((name) => readRecording(name).story);

  test.each(DIFFERENCES)("$id is explained, and is seen in a recording", ({ id, apply }) => {
    expect(document).toContain(`| \`${id}\` |`);
    expect(recordings.some((story) => JSON.stringify(apply(story)) !== JSON.stringify(story))).toBe(true);
  });
});
