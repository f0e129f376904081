import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ImagePullJob } from "../../../src/api/image-pull-job.js";
import type { KubeObject } from "../../../src/api/meta.js";
import type { NodeImage } from "../../../src/api/node-image.js";
import { IMAGE_PULL_JOBS, NODE_IMAGES } from "../../../src/api/resources.js";
import type { Informer } from "../../../src/kube/informer.js";
import { eventually } from "../../support/eventually.js";
import { PULL_DIFFERENCES } from "./pull-differences.js";
import { PullLab } from "./pull-lab.js";
import { type PullStory, PullStoryTeller, readPullRecording } from "./pull-story.js";

/** Longer than the second that a job's status may lag, so that each step is seen. */
const PULL_MS = 1_100;

let lab: PullLab;
let teller: PullStoryTeller;

beforeEach(async () => {
  lab = await PullLab.start();
  teller = new PullStoryTeller();
  listen("ImagePullJob", await lab.kube.informer<ImagePullJob>(IMAGE_PULL_JOBS));
  listen("NodeImage", await lab.kube.informer<NodeImage>(NODE_IMAGES));
  for (const name of ["node1", "node2", "node3"]) {
    const { world } = await lab.addNode(name);
    world.images.publish({ reference: "lab.local/app:v2", sizeBytes: 1, latencyMs: PULL_MS });
  }
  for (const name of ["node1", "node2", "node3"]) lab.startAgent(name);
  lab.startController();
  await eventually(() => expect(lab.nodeImages()).toHaveLength(3));
});
afterEach(() => lab.stop());

function listen<T extends KubeObject>(kind: string, informer: Informer<T>): void {
  informer.onChange(({ key, after }) => teller.see(kind, key.slice(key.indexOf("/") + 1), after));
}

/** What the user of the recording did. */
async function play(): Promise<void> {
  const pullPolicy = { backoffLimit: 3, timeoutSeconds: 600 };
  const completionPolicy = { type: "Always", activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 5 };
  lab.createJob("pull", { image: "lab.local/app:v2", imagePullPolicy: "IfNotPresent", parallelism: 1, pullPolicy, completionPolicy });
  await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined(), 15_000);
  await eventually(() => expect(lab.job("pull").metadata.finalizers ?? []).toEqual([]));
  lab.createJob("missing", {
    image: "lab.local/none:v1",
    imagePullPolicy: "IfNotPresent",
    pullPolicy: { backoffLimit: 1, timeoutSeconds: 10 },
    completionPolicy: { type: "Always", activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 },
  });
  await eventually(() => expect(teller.tell().jobs["pull"]?.wasRemoved).toBe(true), 15_000);
  await eventually(() => expect(lab.job("missing").status?.failedNodes).toBeDefined(), 15_000);
}

/** Our story as far as the recording goes: it ends when the second node begins on the missing image. */
function toldSoFar(recorded: PullStory): PullStory {
  for (const { regarding, type, reason, message } of lab.events) {
    const plain = message.replace(/(on node \S+): .*/s, "$1: <runtime's words>");
    if (regarding.kind === "ImagePullJob") teller.seeEvent({ on: `ImagePullJob/${regarding.name ?? ""}`, type, reason, message: plain });
  }
  const { jobs, requests, ends, events } = teller.tell();
  const cut = Object.entries(jobs).map(([name, job]) => {
    const { statuses, finalizers } = recorded.jobs[name] ?? { statuses: [], finalizers: [] };
    const soFar = { statuses: job.statuses.slice(0, statuses.length), finalizers: job.finalizers.slice(0, finalizers.length) };
    return [name, { ...job, ...soFar }] as const;
  });
  return {
    jobs: Object.fromEntries(cut),
    requests: requests.slice(0, recorded.requests.length),
    ends: ends.slice(0, recorded.ends.length),
    events: events.slice(0, recorded.events.length),
  };
}

describe("what other programs see of pull jobs", () => {
  test("equals the recording but for the written differences", async () => {
    const recorded = PULL_DIFFERENCES.reduce((story, { apply }) => apply(story), readPullRecording());
    await play();
    expect(toldSoFar(recorded)).toEqual(recorded);
  }, 40_000);
});

describe("the written differences of pull jobs", () => {
  const document = readFileSync(new URL("../../../docs/compatibility.md", import.meta.url), "utf8");
  test.each(PULL_DIFFERENCES)("$id is explained, and is seen in the recording", ({ id, apply }) => {
    expect(document).toContain(`| \`${id}\` |`);
    expect(apply(readPullRecording())).not.toEqual(readPullRecording());
  });
});
