import { describe, expect, test } from "@jest/globals";
import { AGENT_FLAGS, parseAgentConfig } from "../../../src/cli/agent-config.js";
import { CONTROLLER_FLAGS, parseControllerConfig } from "../../../src/cli/controller-config.js";
import { shippedContainer } from "../../support/manifests.js";

const NODE = { NODE_NAME: "node-a" };

describe("parseAgentConfig()", () => {
  test("needs nothing but the node's name", () => {
    const config = parseAgentConfig({ args: [], env: NODE });
    expect(config).toMatchObject({ nodeName: "node-a", ignoredFlags: [] });
    expect(config.flags).toMatchObject({
      addr: ":10221",
      "socket-file": "",
      "run-directory": "/run",
      "max-workers-for-pull-image": -1,
      v: 2,
      "logging-format": "json",
      kubeconfig: "",
      "shutdown-grace-seconds": 20,
    });
    expect(config.gates.isEnabled("KruiseDaemon")).toBe(true);
    expect(config.gates.isEnabled("ImagePullJobGate")).toBe(false);
  });

  test("takes the arguments of OpenKruise's own manifest", () => {
    const args = ["--logtostderr=true", "-v=4", "--addr=:10221", "--enable-pprof=true", "--pprof-addr=localhost:10222"];
    const { flags, ignoredFlags } = parseAgentConfig({
      args: [
        ...args,
        "--feature-gates=ImagePullJobGate=true",
        "--socket-file=containerd/containerd.sock",
        "--max-workers-for-pull-image=2",
      ],
      env: NODE,
    });
    expect(flags).toMatchObject({ v: 4, "socket-file": "containerd/containerd.sock", "max-workers-for-pull-image": 2 });
    expect(ignoredFlags).toEqual(["logtostderr", "enable-pprof", "pprof-addr"]);
  });

  test.each([{ env: {} }, { env: { NODE_NAME: "" } }])("says where NODE_NAME comes from when it is not set: $env", ({ env }) => {
    expect(() => parseAgentConfig({ args: [], env })).toThrow(
      new TypeError("environment variable NODE_NAME is not set: take it from fieldRef spec.nodeName as daemonset.yaml does"),
    );
  });

  test.each(["node-a,metadata.name!=node-b", "Node", "a b", "-a", "a-", "x".repeat(254)])("refuses the node name %j", (name) => {
    expect(() => parseAgentConfig({ args: [], env: { NODE_NAME: name } })).toThrow(/^environment variable NODE_NAME is ".*": allowed is/);
  });

  test.each(["a", "ip-10-0-0-1.eu.internal", "x".repeat(253)])("takes the node name %j", (name) => {
    expect(parseAgentConfig({ args: [], env: { NODE_NAME: name } }).nodeName).toBe(name);
  });

  test.each([
    { args: ["--max-workers-for-pull-image=-2"], says: /flag "--max-workers-for-pull-image": allowed are whole numbers from -1 to 1024/ },
    { args: ["--shutdown-grace-seconds=1.5"], says: /flag "--shutdown-grace-seconds"/ },
    { args: ["--feature-gates=KruiseDaemon"], says: /invalid feature gate "KruiseDaemon"/ },
    { args: ["--cloneset-workers=3"], says: /unknown flag "--cloneset-workers"/ },
  ])("refuses $args", ({ args, says }) => {
    expect(() => parseAgentConfig({ args, env: NODE })).toThrow(TypeError);
    expect(() => parseAgentConfig({ args, env: NODE })).toThrow(says);
  });
});

describe("parseControllerConfig()", () => {
  const parse = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => parseControllerConfig({ args, env, pid: 7 });

  test("has defaults that work in a pod", () => {
    const config = parse([], { HOSTNAME: "podmend-controller-5f", POD_NAMESPACE: "tools" });
    expect(config).toMatchObject({ identity: "podmend-controller-5f_7", namespace: "tools" });
    expect(config.flags).toMatchObject({ "enable-leader-election": true, "cloneset-workers": 3, addr: ":8080" });
  });

  test.each([
    { args: ["--leader-election-namespace=kept"], env: { POD_NAMESPACE: "tools" }, namespace: "kept" },
    { args: [], env: { POD_NAMESPACE: "tools" }, namespace: "tools" },
    { args: [], env: { POD_NAMESPACE: "" }, namespace: "podmend-system" },
    { args: [], env: {}, namespace: "podmend-system" },
  ])("takes the Lease's namespace from the flag, then the pod: $args $env", ({ args, env, namespace }) => {
    expect(parse(args, env).namespace).toBe(namespace);
  });

  test.each([
    { env: { POD_NAME: "a", HOSTNAME: "b" }, identity: "a_7" },
    { env: { HOSTNAME: "b" }, identity: "b_7" },
    { env: {}, identity: "podmend_7" },
  ])("is known by its pod's name: $env", ({ env, identity }) => expect(parse([], env).identity).toBe(identity));

  test("takes what OpenKruise's manager takes, and says what has no effect", () => {
    const args = ["--enable-leader-election", "--metrics-addr=:8080", "--health-probe-addr=:8000", "--logtostderr=true", "-v=4"];
    expect(parse([...args, "--sync-period=1h", "--rest-config-qps=30", "--rest-config-burst=50"]).ignoredFlags).toEqual([
      "metrics-addr",
      "health-probe-addr",
      "logtostderr",
      "sync-period",
    ]);
  });

  test.each(["cloneset", "imagepulljob", "nodeimage"])("bounds --%s-workers", (kind) => {
    expect(parse([`--${kind}-workers=100`]).flags).toMatchObject({ [`${kind}-workers`]: 100 });
    for (const bad of ["0", "101", "-1", "many"]) expect(() => parse([`--${kind}-workers=${bad}`])).toThrow(/from 1 to 100/);
  });
});

describe("the shipped manifests", () => {
  const argsOf = (command: string): readonly string[] => {
    const args = shippedContainer(command)?.args ?? [];
    expect(args[0]).toBe(command);
    return args.slice(1);
  };

  test("give the agent flags that it takes, all with an effect", () => {
    const { gates, ignoredFlags } = parseAgentConfig({ args: argsOf("agent"), env: NODE });
    expect({ ignoredFlags, withoutEffect: gates.withoutEffect, forcedOff: gates.forcedOff }).toEqual({
      ignoredFlags: [],
      withoutEffect: [],
      forcedOff: [],
    });
    expect(gates.isEnabled("ImagePullJobGate")).toBe(true);
  });

  test("give the controller flags that it takes, all with an effect", () => {
    const { gates, ignoredFlags } = parseControllerConfig({ args: argsOf("controller"), env: {}, pid: 1 });
    expect({ ignoredFlags, withoutEffect: gates.withoutEffect, forcedOff: gates.forcedOff }).toEqual({
      ignoredFlags: [],
      withoutEffect: [],
      forcedOff: [],
    });
    expect(gates.isEnabled("ImagePullJobGate")).toBe(true);
  });
});

test.each([
  { command: "agent", flags: AGENT_FLAGS },
  { command: "controller", flags: CONTROLLER_FLAGS },
])("every flag of the $command says what it is for", ({ flags }) => {
  for (const [name, { help }] of Object.entries(flags)) expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
});
