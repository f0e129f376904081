import { afterAll, expect, test } from "@jest/globals";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../../src/api/pod.js";
import { eventually } from "../../support/eventually.js";
import { buildDemo, type DemoLine, type DemoProcess, get, getText, processesWith, procFile } from "./demo-process.js";

/** Tests run side by side, for they mostly wait. */
const TIMEOUT_MS = 120_000;

const building = buildDemo();

afterAll(async () => {
  await (await building).remove();
});

interface ToldPod {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  readonly appPid: number;
  readonly sidecarPid: number;
  readonly appRestarts: number;
}

function podOf(line: DemoLine): ToldPod {
  return line["pod"] as ToldPod;
}

/** Holds what a step tells against the API and /proc. */
async function checkStep(line: DemoLine, kubeconfig: string): Promise<void> {
  const told = podOf(line);
  const pod = (await get(kubeconfig, `/api/v1/namespaces/shop/pods/${told.name}`)) as unknown as Pod;
  const restarts = pod.status?.containerStatuses?.map(({ restartCount }) => restartCount);
  expect([pod.metadata.uid, pod.status?.podIP, restarts]).toEqual([told.uid, told.ip, [told.appRestarts, 0]]);
  expect(procFile(told.sidecarPid, "cmdline")).toContain("\nsidecar\n");
  expect(procFile(told.appPid, "environ").split("\n")).toContain(`GREETING=${String(line["greeting"])}`);
}

async function nothingLeft(demo: DemoProcess): Promise<void> {
  const { temporary } = await building;
  const started = demo.lines().find((line) => "kubeconfig" in line);
  const directory = String(started?.["kubeconfig"]).replace(/\/kubeconfig$/, "");
  expect(directory.startsWith(temporary)).toBe(true);
  await eventually(() => expect(processesWith(directory)).toEqual([]), 5_000);
}

test.concurrent(
  "the demo tells numbers that the API and /proc confirm, and leaves nothing after Ctrl-C",
  async () => {
    const { start, workspaces } = await building;
    const demo = start(["--json", "--keep", "--set=it's evening"]);
    await demo.told("note", 5_000);
    const { kubeconfig, pids } = (await demo.told("kubeconfig")) as { kubeconfig: string; pids: Record<string, number> };
    expect(procFile(pids["controller"] ?? 0, "cmdline")).toContain("\ncontroller\n");
    expect(procFile(pids["agent"] ?? 0, "cmdline")).toContain("\nagent\n");
    const first = await demo.told("come-up");
    await checkStep(first, kubeconfig);
    const annotation = await demo.told("annotation");
    await checkStep(annotation, kubeconfig);
    expect(annotation["greeting"]).toBe("it's evening");
    const killed = await demo.told("agent-killed");
    expect(procFile(pids["agent"] ?? 0, "cmdline")).toBe("");
    expect(podOf(killed).appRestarts).toBe(podOf(await demo.told("pre-pull")).appRestarts + 1);
    const recreated = await demo.told("recreate");
    await checkStep(recreated, kubeconfig);
    expect(procFile(podOf(annotation).sidecarPid, "cmdline")).toBe("");
    const { summary, seconds } = await demo.told("summary");
    expect(seconds).toBeLessThan(60);
    expect(summary).toMatchObject({
      inPlace: { isSameUid: true, isSameIp: true, isSameSidecarPid: true, isConnectionKept: true, pulls: 0 },
      recreate: { isSameUid: false, isSameIp: false, isSameSidecarPid: false, isConnectionKept: false },
    });
    expect([first, annotation, recreated].map((line) => (line["cost"] as { pulls: number }).pulls)).toEqual([2, 0, 0]);
    const path = `/api/v1/namespaces/shop/pods/${podOf(recreated).name}`;
    const pods = await get(kubeconfig, path, "application/json;as=Table;v=v1;g=meta.k8s.io");
    expect(pods).toMatchObject({
      kind: "Table",
      rows: [{ cells: [podOf(recreated).name, "2/2", "Running", 0, ...new Array(3).fill(expect.anything())] }],
    });
    const log = await getText(kubeconfig, `${path}/log?container=sidecar`);
    expect(log).toMatch(/^listens on 127\.0\.0\.1:\d+\nrequest 1\n$/);
    expect(await demo.end("SIGINT")).toBe(0);
    expect(demo.stderr).toBe("");
    await nothingLeft(demo);
    expect(workspaces()).not.toContain(kubeconfig.split("/").at(-2));
  },
  TIMEOUT_MS,
);

test.concurrent.each(["note", "kubeconfig", "come-up"])(
  "Ctrl-C after %s ends everything that was started and removes its files",
  async (moment) => {
    const { start } = await building;
    const demo = start(["--json"]);
    await demo.told(moment);
    expect(await demo.end("SIGINT")).toBe(1);
    const kubeconfig = demo.lines().find((line) => "kubeconfig" in line)?.["kubeconfig"];
    if (kubeconfig !== undefined) await nothingLeft(demo);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "a killed demo takes its children along, and the next one removes its files",
  async () => {
    const { start, workspaces, temporary } = await building;
    // Any run that starts removes what a killed one has left: in the common place that may be another test's.
    const place = mkdtempSync(join(temporary, "killed-"));
    const demo = start(["--json"], { TMPDIR: place });
    await demo.told("come-up");
    const name = String(demo.lines().find((line) => "kubeconfig" in line)?.["kubeconfig"])
      .split("/")
      .at(-2);
    await demo.end("SIGKILL");
    await nothingLeft(demo);
    expect(workspaces(place)).toContain(name);
    const next = start(["--json"], { TMPDIR: place });
    await next.told("kubeconfig");
    expect(workspaces(place)).not.toContain(name);
    await next.end("SIGINT");
  },
  TIMEOUT_MS,
);

test.concurrent(
  "the demo without an agent fails by the name of the step that needs it",
  async () => {
    const { start } = await building;
    const demo = start(["--without-agent"]);
    expect(await demo.ended).toBe(1);
    expect(demo.stderr).toMatch(/^podmend demo: step "annotation": Cannot see the pod is ready/);
    expect(demo.stdout).not.toContain("\u001b");
  },
  TIMEOUT_MS,
);

test.concurrent(
  "a kubelet that looks only every 3 s makes the told times grow",
  async () => {
    const { start } = await building;
    const demo = start(["--json", "--relist-seconds=3"]);
    const { cost } = (await demo.told("annotation")) as { cost: { seconds: number } };
    expect(cost.seconds).toBeGreaterThan(3.5);
    await demo.end("SIGINT");
  },
  TIMEOUT_MS,
);

test.concurrent(
  "a port that is taken is named",
  async () => {
    const { start } = await building;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const demo = start([`--port=${String(port)}`]);
    expect(await demo.ended).toBe(2);
    expect(demo.stderr).toContain(`Cannot listen on port ${String(port)}: `);
    expect(demo.stderr).toContain("EADDRINUSE");
    server.close();
  },
  TIMEOUT_MS,
);

test.concurrent(
  "a directory that cannot be written to is named",
  async () => {
    const { start, temporary } = await building;
    const file = join(temporary, "no-directory");
    writeFileSync(file, "");
    const demo = start([], { TMPDIR: file });
    expect(await demo.ended).toBe(2);
    expect(demo.stderr).toContain(`Cannot write below "${file}": `);
  },
  TIMEOUT_MS,
);

test.concurrent.each([
  { args: ["--set=a\u0007b"], says: 'invalid value for flag "--set"' },
  { args: ["--port=70000"], says: 'invalid value "70000" for flag "--port"' },
  { args: ["--sett=x"], says: "did you mean --set" },
])("bad flag $args is refused before anything starts", async ({ args, says }) => {
  const { start } = await building;
  const demo = start(args);
  expect(await demo.ended).toBe(2);
  expect(demo.stderr).toContain(says);
  expect(demo.stdout).toBe("");
});
