import type { Pod } from "../../../src/api/pod.js";
import type { SimProgram } from "../../../src/sim/runtime/entities.js";
import type { Json, Run } from "./run.js";

/** Something that happens to one pod. */
export interface Scenario {
  /** Usable as a pod's name. */
  readonly name: string;
  readonly spec: Json;
  /** How the programs of the images behave in the model, where it is not as an app that serves until it is told to end. */
  readonly programs?: Readonly<Record<string, Partial<SimProgram>>>;
  steps(run: Run): Promise<void>;
}

export const V1 = "lab.local/app:v1";
export const V2 = "lab.local/app:v2";
const V3 = "lab.local/app:v3";
const SAME = "lab.local/app:v1-same";
const STUBBORN = "lab.local/stubborn:v1";
const NONE = "lab.local/app:none";
/** Every image that a scenario starts with. */
export const IMAGES: readonly string[] = [V1, V2, V3, SAME, STUBBORN];

const ENV = [{ name: "CONFIG", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } }];
/** Long enough for what follows by itself: two looks at the runtime. */
const SETTLED_MS = 3_000;

function app(name: string, more: Json = {}): Json {
  return { name, image: V1, imagePullPolicy: "IfNotPresent", ...more };
}

function spec(containers: readonly Json[], more: Json = {}): Json {
  return { terminationGracePeriodSeconds: 5, containers, ...more };
}

const TWO = spec([app("app", { env: ENV }), app("side")]);
/** Says that it is ready, or has started, after so many seconds. */
function readyAfter(seconds: number): Json {
  return { image: SAME, command: ["sh", "-c", `sleep ${String(seconds)}; touch /ok; while true; do sleep 1; done`] };
}
const EVERY_SECOND = { exec: { command: ["test", "-e", "/ok"] }, periodSeconds: 1 };

function isReady(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

function restarts(container: string, count: number): (pod: Pod | undefined) => boolean {
  return (pod) => {
    const found = pod?.status?.containerStatuses?.find(({ name }) => name === container);
    return found !== undefined && found.restartCount >= count && found.state?.running !== undefined;
  };
}

function waits(reason: string): (pod: Pod | undefined) => boolean {
  return (pod) => pod?.status?.containerStatuses?.some(({ state }) => state?.waiting?.reason === reason) === true;
}

function isGone(pod: Pod | undefined): boolean {
  return pod === undefined;
}

/** Ready, and quiet for long enough that its kubelet has looked at it again. */
async function settled(run: Run): Promise<void> {
  await run.until("Ready", isReady);
  await run.rest(SETTLED_MS);
}

async function restarted(run: Run, container: string, count: number): Promise<void> {
  await run.until(`${container} restarted`, restarts(container, count));
  await run.until("Ready", isReady);
  await run.rest(SETTLED_MS);
}

function images(...containers: readonly (readonly [string, string])[]): Json {
  return { spec: { containers: containers.map(([name, image]) => ({ name, image })) } };
}

function annotation(value: string): Json {
  return { metadata: { annotations: { config: value } } };
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "starts", spec: TWO, steps: settled },
  {
    name: "one-of-two-killed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.kill("app");
      await restarted(run, "app", 1);
    },
  },
  {
    name: "both-killed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.kill("app");
      await run.kill("side");
      await restarted(run, "side", 1);
    },
  },
  {
    name: "image-changed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(images(["app", V2]));
      await restarted(run, "app", 1);
    },
  },
  {
    name: "two-images-changed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(images(["app", V2], ["side", V3]));
      await restarted(run, "side", 1);
    },
  },
  {
    name: "annotation-changed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(annotation("two"));
      await run.rest(SETTLED_MS);
    },
  },
  {
    name: "annotation-changed-then-killed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(annotation("two"));
      await run.rest(SETTLED_MS);
      await run.kill("app");
      await restarted(run, "app", 1);
    },
  },
  {
    name: "annotation-twice-then-killed",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(annotation("two"));
      await run.patch(annotation("three"));
      await run.rest(SETTLED_MS);
      await run.kill("app");
      await restarted(run, "app", 1);
    },
  },
  {
    name: "image-and-annotation-together",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch({ ...annotation("two"), ...images(["app", V2]) });
      await restarted(run, "app", 1);
    },
  },
  {
    name: "killed-twice",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.kill("app");
      await restarted(run, "app", 1);
      await run.kill("app");
      await restarted(run, "app", 2);
    },
  },
  {
    name: "deleted",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.remove();
      await run.until("gone", isGone);
    },
  },
  {
    name: "deleted-at-once",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.remove(0);
      await run.until("gone", isGone);
    },
  },
  {
    name: "deleted-while-starting",
    spec: TWO,
    async steps(run) {
      await run.rest(150);
      await run.remove();
      await run.until("gone", isGone);
    },
  },
  {
    name: "deleted-and-stubborn",
    spec: spec([app("app", { image: STUBBORN })], { terminationGracePeriodSeconds: 3 }),
    programs: { [STUBBORN]: { heedsTerm: false } },
    async steps(run) {
      await settled(run);
      await run.remove();
      await run.until("gone", isGone);
    },
  },
  {
    name: "deleted-with-pre-stop",
    spec: spec([app("app", { lifecycle: { preStop: { sleep: { seconds: 2 } } } })]),
    async steps(run) {
      await settled(run);
      await run.remove();
      await run.until("gone", isGone);
    },
  },
  {
    name: "crashes",
    spec: spec([app("app", { image: SAME, command: ["sh", "-c", "sleep 2; exit 1"] }), app("side")]),
    programs: { [SAME]: { exitsAfterMs: 2_000, exitCode: 1 } },
    async steps(run) {
      await run.until("in back-off", waits("CrashLoopBackOff"));
      await run.until("restarted", (pod) => pod?.status?.containerStatuses?.some(({ restartCount }) => restartCount === 2) === true);
      await run.rest(SETTLED_MS);
    },
  },
  {
    name: "ends-by-itself",
    spec: spec([app("app", { image: SAME, command: ["sleep", "3"] })]),
    programs: { [SAME]: { exitsAfterMs: 3_000, exitCode: 0 } },
    async steps(run) {
      await run.until("in back-off", waits("CrashLoopBackOff"));
      await run.rest(SETTLED_MS);
    },
  },
  {
    name: "image-missing-then-old-one",
    spec: TWO,
    async steps(run) {
      await settled(run);
      await run.patch(images(["app", NONE]));
      await run.until("in back-off", waits("ImagePullBackOff"));
      await run.patch(images(["app", V1]));
      await restarted(run, "app", 1);
    },
  },
  {
    name: "image-missing-from-the-start",
    spec: spec([app("app", { image: NONE }), app("side")]),
    async steps(run) {
      await run.until("in back-off", waits("ImagePullBackOff"));
      await run.patch(images(["app", V2]));
      await settled(run);
    },
  },
  {
    name: "config-map-missing",
    spec: spec([app("app", { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "config", key: "a" } } }] }), app("side")]),
    async steps(run) {
      await run.until("waits", waits("CreateContainerConfigError"));
      await run.createConfigMap({ a: "1" });
      await settled(run);
    },
  },
  {
    name: "ready-after-a-while",
    spec: spec([app("app", { ...readyAfter(5), readinessProbe: EVERY_SECOND }), app("side")]),
    programs: { [SAME]: { heedsTerm: false, answersAfterMs: 5_000 } },
    steps: settled,
  },
  {
    name: "ready-again-after-kill",
    spec: spec([app("app", { ...readyAfter(0), readinessProbe: EVERY_SECOND })]),
    programs: { [SAME]: { heedsTerm: false } },
    async steps(run) {
      await settled(run);
      await run.kill("app");
      await restarted(run, "app", 1);
    },
  },
  {
    name: "ready-long-before-its-period",
    spec: spec([app("app", { ...readyAfter(0), readinessProbe: { ...EVERY_SECOND, periodSeconds: 20 } })]),
    programs: { [SAME]: { heedsTerm: false } },
    steps: settled,
  },
  {
    name: "started-after-a-while",
    spec: spec([app("app", { ...readyAfter(4), startupProbe: { ...EVERY_SECOND, failureThreshold: 30 } })]),
    programs: { [SAME]: { heedsTerm: false, answersAfterMs: 4_000 } },
    steps: settled,
  },
  {
    name: "never-started",
    spec: spec([app("app", { ...readyAfter(1_000), startupProbe: { ...EVERY_SECOND, failureThreshold: 3 } })], {
      terminationGracePeriodSeconds: 1,
    }),
    programs: { [SAME]: { heedsTerm: false, answersAfterMs: 1_000_000 } },
    async steps(run) {
      await run.until("restarted", restarts("app", 1));
    },
  },
  {
    name: "gate-opens",
    spec: spec([app("app")], { readinessGates: [{ conditionType: "example.com/gate" }] }),
    async steps(run) {
      await run.until("running", restarts("app", 0));
      await run.rest(SETTLED_MS);
      await run.patch({ status: { conditions: [{ type: "example.com/gate", status: "True" }] } }, "status");
      await settled(run);
      await run.patch({ status: { conditions: [{ type: "example.com/gate", status: "False" }] } }, "status");
      await run.until("unready", (pod) => !isReady(pod));
      await run.rest(SETTLED_MS);
    },
  },
];
