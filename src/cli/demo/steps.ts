import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { ImagePullJob } from "../../api/image-pull-job.js";
import { IMAGE_PULL_JOBS, NODE_POD_RESTARTS } from "../../api/resources.js";
import { IMAGES, NODE_NAME } from "./cluster.js";
import { kubectlJson, kubectlMerge } from "./kubectl.js";
import { tellHeading } from "./screen.js";
import { askOnce, SidecarLine } from "./sidecar-line.js";
import { type Cost, measure, rest, type Stage, until } from "./stage.js";
import { StepFailure } from "./step-failure.js";
import {
  annotationChange,
  appImage,
  create,
  jsonPatch,
  livePod,
  manifest,
  mergePatch,
  NAMESPACE,
  podFacts,
  type PodFacts,
  portOf,
} from "./workload.js";

/** What a step leaves for the next ones, for the table and for programs. */
export interface StepResult {
  readonly step: string;
  readonly pod: PodFacts;
  readonly cost?: Cost;
  /** Requests that the sidecar's process has answered. */
  readonly served: number;
  readonly isConnectionKept: boolean;
  readonly greeting: string;
  readonly [fact: string]: unknown;
}

/** 1. */
export async function comeUp(stage: Stage): Promise<StepResult> {
  const { cluster, screen } = stage;
  tellHeading(screen, {
    number: 1,
    title: "A workload comes up: its app reads an annotation through its environment, its sidecar does not.",
    change: manifest(IMAGES.v1, stage.firstValue),
    kubectl: "kubectl apply -f web.yaml",
  });
  const cost = await measure(stage, () => create(cluster, stage.firstValue));
  stage.line = new SidecarLine(await portOf(cluster, "sidecar"));
  await stage.line.ask();
  const result = await look(stage, { step: "come-up", cost });
  const { pod } = result;
  screen.line(`   Ready after ${String(cost.seconds)} s: pod ${pod.name}, UID ${pod.uid}, IP ${pod.ip}`);
  screen.line(`   app is process ${String(pod.appPid)} with GREETING=${result.greeting}; sidecar is process ${String(pod.sidecarPid)},`);
  screen.line(`   has answered ${String(result.served)} requests over one connection, which stays open from here on`);
  return result;
}

/** 2. */
export async function changeAnnotation(stage: Stage, before: StepResult): Promise<StepResult> {
  const { cluster, screen, value } = stage;
  const change = annotationChange(value);
  tellHeading(screen, { number: 2, title: "An annotation changes: one container restarts.", change, kubectl: kubectlMerge(change) });
  await rest(stage);
  const cost = await measure(stage, () => mergePatch(cluster, change));
  const result = await look(stage, { step: "annotation", cost });
  expect(result.greeting === value, "the app has the new value", result);
  expectInPlace(before, result, 1);
  screen.line(
    `   Ready again after ${String(cost.seconds)} s, GREETING=${result.greeting}; app restarted once (process ${String(before.pod.appPid)} -> ${String(result.pod.appPid)})`,
  );
  tellSurvivors(stage, result);
  return result;
}

/** 3. */
export async function prePull(stage: Stage, before: StepResult): Promise<StepResult> {
  const { cluster, screen } = stage;
  const job = pullJob(IMAGES.v2);
  tellHeading(screen, {
    number: 3,
    title: "An image is pulled before it is needed.",
    change: job,
    kubectl: "kubectl apply -f warm-up.yaml",
  });
  const [pullsBefore, startMs] = [cluster.pulls(), stage.clock.monotonicMs()];
  cluster.state.create(IMAGE_PULL_JOBS, job, NAMESPACE);
  await until(stage, "the job has pulled the image on every node", () => hasPulled(stage));
  const seconds = Math.round((stage.clock.monotonicMs() - startMs) / 10) / 100;
  const jobPulls = cluster.pulls() - pullsBefore;
  screen.line(`   Pulled after ${String(seconds)} s, on 1 of 1 nodes; nothing was restarted`);
  const { operations, change } = appImage(IMAGES.v2);
  tellHeading(screen, { number: 4, title: "The app gets that image: the update pulls nothing.", change, kubectl: kubectlJson(operations) });
  await rest(stage);
  const cost = await measure(stage, () => jsonPatch(cluster, operations));
  const result = await look(stage, { step: "pre-pull", cost, jobPulls, jobSeconds: seconds });
  expect(cost.pulls === 0 && jobPulls === 1, "the job pulls once and the update never", result);
  expectInPlace(before, result, 1);
  screen.line(`   Ready again after ${String(cost.seconds)} s with ${IMAGES.v2}; pulls during the update: ${String(cost.pulls)}`);
  tellSurvivors(stage, result);
  return result;
}

/** 5. */
export async function killAgent(stage: Stage, before: StepResult): Promise<StepResult> {
  const { cluster, screen } = stage;
  const change = annotationChange(`${stage.value}-again`);
  tellHeading(screen, {
    number: 5,
    title: "The agent is killed (kill -9) in the middle of a restart.",
    change,
    kubectl: kubectlMerge(change),
  });
  await rest(stage);
  const killed = killAtStop(stage);
  const measuring = measure(stage, () => mergePatch(cluster, change));
  measuring.catch(() => undefined); // it is awaited below, unless this step fails before
  const oldPid = await Promise.race([
    killed,
    measuring.then(() => Promise.reject(new StepFailure("Cannot kill the agent in mid-restart: it made no stop call"))),
  ]);
  screen.line(`   agent ${String(oldPid)} killed while its stop call was under way`);
  stage.startAgent();
  screen.line(`   agent ${String(stage.agent()?.pid)} started`);
  const cost = await measuring;
  await until(stage, "the new agent has taken in what it is asked", () => hasAgentCaughtUp(stage));
  await stage.clock.sleep(2 * stage.relistMs, stage.signal); // a second restart would show by now
  const result = await look(stage, { step: "agent-killed", cost });
  expect(result.greeting === `${stage.value}-again`, "the app has the new value", result);
  expectInPlace(before, result, 1);
  screen.line(
    `   Ready again after ${String(cost.seconds)} s; app restarted once, not twice (RESTARTS ${String(before.pod.appRestarts)} -> ${String(result.pod.appRestarts)})`,
  );
  tellSurvivors(stage, result);
  return result;
}

/** 6. */
export async function badImage(stage: Stage, before: StepResult): Promise<StepResult> {
  const { cluster, screen } = stage;
  const bad = appImage(IMAGES.missing);
  tellHeading(screen, {
    number: 6,
    title: "The app gets an image that does not exist.",
    change: bad.change,
    kubectl: kubectlJson(bad.operations),
  });
  jsonPatch(cluster, bad.operations);
  const { reason, message } = await until(stage, "pod status tells of the image", () => waitingReason(stage));
  screen.line(`   ${reason}: ${message}`);
  const good = appImage(IMAGES.v2);
  screen.line("   The template from before is applied again:");
  screen.line(`   $ ${kubectlJson(good.operations)}`);
  screen.line("   (the kubelet starts the same container again at the earliest 10 s after it ended)");
  const cost = await measure(stage, () => jsonPatch(cluster, good.operations));
  const result = await look(stage, { step: "bad-image", cost, reason, message });
  expectInPlace(before, result, 1);
  screen.line(`   Ready again after ${String(cost.seconds)} s, without a new pod`);
  tellSurvivors(stage, result);
  return result;
}

/** 7. */
export async function recreate(stage: Stage, before: StepResult): Promise<StepResult> {
  const { cluster, screen } = stage;
  const change = {
    spec: { updateStrategy: { type: "ReCreate" }, ...(annotationChange(`${stage.value}-recreated`) as { spec: object }).spec },
  };
  tellHeading(screen, {
    number: 7,
    title: "For comparison, an annotation changes and the pod is re-created.",
    change,
    kubectl: kubectlMerge(change),
  });
  const old = stage.line;
  await rest(stage);
  const cost = await measure(stage, () => mergePatch(cluster, change));
  await until(stage, "the old pod's connection breaks", () => old?.isOpen !== true);
  old?.close();
  stage.line = new SidecarLine(await portOf(cluster, "sidecar"));
  const result = await look(stage, { step: "recreate", cost, isConnectionKept: false });
  expect(result.pod.uid !== before.pod.uid && result.pod.sidecarPid !== before.pod.sidecarPid, "another pod runs", result);
  screen.line(`   Ready again after ${String(cost.seconds)} s: pod ${result.pod.name}, UID ${result.pod.uid}, IP ${result.pod.ip}`);
  screen.line(`   sidecar is process ${String(result.pod.sidecarPid)}; its counter is at ${String(result.served)}, the connection broke`);
  return result;
}

/** Asks both containers, over the open connection where there is one. */
async function look(stage: Stage, facts: { readonly step: string; readonly [fact: string]: unknown }): Promise<StepResult> {
  const { cluster, line } = stage;
  const isConnectionKept = line?.isOpen === true || facts["isConnectionKept"] !== undefined;
  const answer = await line?.ask();
  const app = await askOnce(await portOf(cluster, "app"));
  return { isConnectionKept, ...facts, pod: podFacts(cluster), served: answer?.served ?? 0, greeting: app.env["GREETING"] ?? "" };
}

function tellSurvivors({ screen }: Stage, { pod, served }: StepResult): void {
  screen.line(
    `   same UID, same IP; sidecar is still process ${String(pod.sidecarPid)}, its counter goes on (${String(served)}), its connection is open`,
  );
}

function expectInPlace(before: StepResult, after: StepResult, appRestarts: number): void {
  const [old, now] = [before.pod, after.pod];
  expect(old.uid === now.uid && old.ip === now.ip, "the pod stays", after);
  expect(now.appRestarts === old.appRestarts + appRestarts, `the app restarts ${String(appRestarts)} time(s)`, after);
  expect(old.sidecarPid === now.sidecarPid && now.sidecarRestarts === 0, "the sidecar's process stays", after);
  expect(after.isConnectionKept && after.served === before.served + 1, "the sidecar's connection and counter stay", after);
}

function expect(isSo: boolean, what: string, facts: StepResult): void {
  if (!isSo) throw new StepFailure(`Cannot confirm that ${what}: ${JSON.stringify(facts)}`);
}

function pullJob(image: string): object {
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "ImagePullJob",
    metadata: { name: "warm-up", namespace: NAMESPACE },
    spec: { image, parallelism: 10, completionPolicy: { type: "Always" } },
  };
}

function hasPulled({ cluster }: Stage): boolean {
  const job = cluster.state.get(IMAGE_PULL_JOBS, { namespace: NAMESPACE, name: "warm-up" }) as unknown as ImagePullJob;
  return job.status?.completionTime !== undefined && job.status.succeeded === 1;
}

/** @returns the pid of the agent that was killed as soon as its next stop call had arrived */
function killAtStop({ cluster, victim: choose }: Stage): Promise<number> {
  const { faults } = cluster.runtime.world;
  return new Promise((resolve) => {
    faults.intercept = async (method) => {
      const victim = method === "StopContainer" ? choose() : undefined;
      if (victim === undefined) return;
      faults.intercept = undefined;
      await victim.kill();
      resolve(victim.pid);
    };
  });
}

function hasAgentCaughtUp({ cluster }: Stage): boolean {
  const { metadata, status } = cluster.state.get(NODE_POD_RESTARTS, { name: NODE_NAME }) as unknown as NodePodRestart;
  return status?.observedGeneration === metadata.generation;
}

function waitingReason({ cluster }: Stage): { readonly reason: string; readonly message: string } | undefined {
  const waiting = livePod(cluster)?.status?.containerStatuses?.find(({ name }) => name === "app")?.state?.waiting;
  const { reason = "", message = "" } = waiting ?? {};
  return reason.includes("ImagePull") ? { reason, message } : undefined;
}
