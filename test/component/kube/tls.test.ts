import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { fileCredentials } from "../../../src/kube/auth.js";
import { kubeconfigAccess } from "../../../src/kube/kubeconfig.js";
import { createNodeWire } from "../../../src/kube/node-http2-wire.js";
import type { Wire } from "../../../src/kube/wire.js";
import type { ServerAccess } from "../../../src/kube/credentials.js";
import { systemClock } from "../../../src/lib/clock.js";
import { systemFiles } from "../../../src/lib/files.js";
import { type ApiServer, startApiServer } from "../../../src/sim/api-server/api-server.js";
import { makeAuthority, type TestAuthority } from "../../support/test-certificates.js";

jest.setTimeout(30_000); // machines that run these may be busy

const HEALTH = { method: "GET", path: "/healthz", headers: {} };
const signal = new AbortController().signal;

let authority: TestAuthority;
let directory: string;
let server: ApiServer;
const wires: Wire[] = [];

beforeAll(async () => {
  authority = await makeAuthority("test authority");
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "podmend-tls-"));
  server = await startApiServer({ tls: { ...(await authority.issue("server")), clientCa: authority.cert } });
});

afterEach(async () => {
  for (const wire of wires.splice(0)) await wire.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

const path = (name: string): string => join(directory, name);

async function writeClient(commonName: string): Promise<void> {
  const { cert, key } = await authority.issue(commonName);
  await writeFile(path("client.crt"), cert);
  await writeFile(path("client.key"), key);
}

function connect(access: ServerAccess): Wire {
  const wire = createNodeWire({ ...access, clock: systemClock });
  wires.push(wire);
  return wire;
}

function filesAccess(): ServerAccess {
  const credentials = fileCredentials({
    ca: path("ca.crt"),
    cert: path("client.crt"),
    key: path("client.key"),
    files: systemFiles,
    clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 1_000 }, // so that files are looked at each time
  });
  return { server: server.url, credentials };
}

async function status(wire: Wire): Promise<number> {
  const response = await wire.send(HEALTH, signal);
  for await (const chunk of response.body) expect(chunk.length).toBeGreaterThan(0);
  return response.status;
}

describe("createNodeWire() over TLS", () => {
  test("trusts the authority in a file and shows a client certificate, and takes a new one for new requests", async () => {
    await writeFile(path("ca.crt"), authority.cert);
    await writeClient("first");
    const wire = connect(filesAccess());
    expect(await status(wire)).toBe(200);
    expect(await status(wire)).toBe(200);
    const before = server.connectionTotal();
    await writeClient("second");
    await utimes(path("client.crt"), new Date(), new Date(systemClock.nowMs() + 5_000));
    await utimes(path("client.key"), new Date(), new Date(systemClock.nowMs() + 5_000));
    expect(await status(wire)).toBe(200);
    expect(server.connectionTotal()).toBe(before + 1);
  });

  test("refuses a server of another authority, and connects once the file holds the right one", async () => {
    await writeFile(path("ca.crt"), (await makeAuthority("other authority")).cert);
    await writeClient("client");
    const wire = connect(filesAccess());
    await expect(status(wire)).rejects.toMatchObject({ failure: "unreachable", message: expect.stringMatching(/certificate|signature/) });
    await writeFile(path("ca.crt"), authority.cert);
    await utimes(path("ca.crt"), new Date(), new Date(systemClock.nowMs() + 5_000));
    expect(await status(wire)).toBe(200);
  });

  test("refuses a server that speaks HTTP/1.1 only", async () => {
    await writeFile(path("ca.crt"), authority.cert);
    await writeClient("client");
    const old = https.createServer({ ...(await authority.issue("old")), ALPNProtocols: ["http/1.1"] });
    await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
    const wire = connect({ ...filesAccess(), server: `https://127.0.0.1:${(old.address() as AddressInfo).port}` });
    await expect(status(wire)).rejects.toMatchObject({ failure: "unreachable" });
    await new Promise((resolve) => old.close(resolve));
  });
});

describe("kubeconfigAccess()", () => {
  async function writeKubeconfig(user: object): Promise<string> {
    const data = (text: string): string => Buffer.from(text).toString("base64");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "here", cluster: { server: server.url, "certificate-authority-data": data(authority.cert) } }],
      users: [{ name: "me", user }],
      contexts: [{ name: "ctx", context: { cluster: "here", user: "me" } }],
      "current-context": "ctx",
    };
    await writeFile(path("config"), JSON.stringify(config));
    return path("config");
  }

  test("connects with certificate data", async () => {
    const { cert, key } = await authority.issue("me");
    const data = (text: string): string => Buffer.from(text).toString("base64");
    const file = await writeKubeconfig({ "client-certificate-data": data(cert), "client-key-data": data(key) });
    expect(await status(connect(await kubeconfigAccess({ path: file, clock: systemClock })))).toBe(200);
  });

  test("gives a token as a bearer token, and an exec plug-in's too", async () => {
    const withToken = await kubeconfigAccess({ path: await writeKubeconfig({ token: "abc" }), clock: systemClock });
    expect(await withToken.credentials.authorization()).toBe("Bearer abc");
    const answer = JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token: "made" } });
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "echo", args: [answer], interactiveMode: "Never" };
    const withExec = await kubeconfigAccess({ path: await writeKubeconfig({ exec }), clock: systemClock });
    expect(await withExec.credentials.authorization()).toBe("Bearer made");
    withExec.credentials.renew();
    expect(await withExec.credentials.authorization()).toBe("Bearer made");
  });

  test("names the file, and a context that does not exist", async () => {
    await expect(kubeconfigAccess({ path: path("none"), clock: systemClock })).rejects.toThrow(`Cannot read kubeconfig "${path("none")}"`);
    const file = await writeKubeconfig({ token: "abc" });
    await expect(kubeconfigAccess({ path: file, context: "other", clock: systemClock })).rejects.toThrow('there is no context "other"');
  });
});
