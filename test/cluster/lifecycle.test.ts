import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { run, waitUntil } from "./shell.js";
import { clusterPaths, readRecord } from "./state.js";

// A cluster of its own, so that one in use is not disturbed; on a machine that never built one, the first `up` takes long.
const INSTANCE = "lifecycle";
const TIMEOUT_MS = 20 * 60_000;
const TSX = join(dirname(createRequire(import.meta.url).resolve("tsx/package.json")), "dist/cli.mjs");
const paths = clusterPaths(INSTANCE);

describe("cluster", () => {
  let before: Machine;

  beforeAll(async () => {
    await cluster("down");
    before = await observeMachine();
  }, TIMEOUT_MS);

  afterAll(() => cluster("down"), TIMEOUT_MS);

  test.each(["kube-apiserver", "node1/containerd"])(
    "up replaces what an up leaves that is killed after it started %s",
    async (name) => {
      const killed = start("up", "--nodes", "1");
      await waitUntil({ what: name, timeoutMs: TIMEOUT_MS, everyMs: 5, isDone: () => readRecord(paths)?.processes[name] !== undefined });
      process.kill(-Number(killed.pid), "SIGKILL");
      await once(killed, "close");
      expect(leftovers()).not.toEqual([]);

      await cluster("up", "--nodes", "1");
      expect(await kubectl("get", "nodes", "-o", "name")).toBe("node/node1\n");
      await cluster("down");
      expect(leftovers()).toEqual([]);
      expect(await observeMachine()).toEqual(before);
    },
    TIMEOUT_MS,
  );

  test(
    "down cleans what a killed up leaves",
    async () => {
      const killed = start("up", "--nodes", "1");
      await waitUntil({
        what: "node1",
        timeoutMs: TIMEOUT_MS,
        everyMs: 5,
        isDone: () => readRecord(paths)?.processes["node1"] !== undefined,
      });
      process.kill(-Number(killed.pid), "SIGKILL");
      await once(killed, "close");

      await cluster("down");
      expect(leftovers()).toEqual([]);
      expect(await observeMachine()).toEqual(before);
    },
    TIMEOUT_MS,
  );

  test(
    "a second up changes nothing, pods run, and down leaves nothing of them",
    async () => {
      await cluster("up", "--nodes", "1");
      const record = readRecord(paths);
      await cluster("up", "--nodes", "1");
      expect(readRecord(paths)).toEqual(record);

      await kubectl("run", "stubborn", "--image=lab.local/stubborn:v1");
      await kubectl("run", "app", "--image=lab.local/app:v1");
      await kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/app", "pod/stubborn");
      expect(await kubectl("logs", "app")).toBe("app v1 runs\n");
      expect(await kubectl("exec", "app", "--", "cat", "/www/index.html")).toBe("v1\n");

      await cluster("up", "--nodes", "2");
      expect(await kubectl("get", "nodes", "-o", "name")).toBe("node/node1\nnode/node2\n");
      await cluster("down");
      expect(leftovers()).toEqual([]);
      expect(await observeMachine()).toEqual(before);
    },
    TIMEOUT_MS,
  );

  test(
    "exec gives the program's exit code and passes signals on",
    async () => {
      await cluster("up", "--nodes", "1");
      const failing = start("exec", "sh", "-c", "exit 7");
      expect(await once(failing, "close")).toEqual([7, null]);
      const waiting = start("exec", "sh", "-c", 'trap "exit 8" TERM; echo waits; while true; do sleep 0.1; done');
      await once(waiting.stdout ?? waiting, "data");
      waiting.kill("SIGTERM");
      expect(await once(waiting, "close")).toEqual([8, null]);
    },
    TIMEOUT_MS,
  );
});

/** What a cluster could leave on the machine itself. */
type Machine = { readonly mounts: string; readonly links: string; readonly routes: string };

async function observeMachine(): Promise<Machine> {
  const links = JSON.parse(await run("ip", ["-json", "link"])) as readonly { readonly ifname: string }[];
  return {
    mounts: await run("findmnt", ["-rn", "-o", "TARGET"]),
    links: links.map(({ ifname }) => ifname).join(" "),
    routes: await run("ip", ["route"]),
  };
}

/** Processes that are in the cluster's control groups, name its files, or see them in their mount namespace; containers included. */
function leftovers(): readonly string[] {
  const traces = [`podmend-cluster-${INSTANCE}`, `podmend/cluster/${INSTANCE}/`];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) =>
    ["cgroup", "cmdline", "mountinfo"].some((file) => traces.some((trace) => readProcess(pid, file).includes(trace))),
  );
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // ended meanwhile, or a zombie
  }
}

function start(...args: readonly string[]): ChildProcess {
  const env = { ...process.env, PODMEND_CLUSTER: INSTANCE };
  return spawn(process.execPath, [TSX, join(import.meta.dirname, "main.ts"), ...args], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function cluster(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PODMEND_CLUSTER: INSTANCE };
  return run(process.execPath, [TSX, join(import.meta.dirname, "main.ts"), ...args], { env });
}

function kubectl(...args: readonly string[]): Promise<string> {
  return cluster("exec", "kubectl", ...args);
}
