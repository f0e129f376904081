import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { buildProduct, type Product, ProductProcess } from "./product.js";

jest.setTimeout(20_000); // processes start, on a machine that may be busy

let product: Product;
const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1", NODE_NAME: "node-a" };

beforeAll(async () => {
  product = await buildProduct();
});

afterAll(async () => {
  await product.remove();
});

describe("a mistake in arguments or environment", () => {
  test.each([
    { args: ["agnet"], env: {}, says: 'unknown command "agnet": allowed are agent, controller, demo, version, help' },
    { args: ["agent", "--socketfile=x"], env: {}, says: 'unknown flag "--socketfile": did you mean --socket-file' },
    { args: ["agent", "--nope"], env: {}, says: 'unknown flag "--nope": allowed are --addr, ' },
    { args: ["agent", "-v=loud"], env: {}, says: 'invalid value "loud" for flag "--v": allowed are whole numbers from 0 to 10' },
    { args: ["agent", "--logging-format=xml"], env: {}, says: 'invalid value "xml" for flag "--logging-format": allowed are json, text' },
    { args: ["agent", "--logging-format=a\nb"], env: {}, says: 'invalid value "a b" for flag "--logging-format": allowed are json, text' },
    { args: ["agent", "--addr=10221"], env: {}, says: 'invalid listen address "10221": allowed is :PORT or HOST:PORT' },
    { args: ["agent", "--feature-gates=Nope=true"], env: {}, says: 'unknown feature gate "Nope": allowed are AllAlpha, AllBeta, ' },
    { args: ["agent", "--feature-gates=AllBeta"], env: {}, says: 'invalid feature gate "AllBeta": allowed is Name=true or Name=false' },
    { args: ["agent"], env: { NODE_NAME: "" }, says: "environment variable NODE_NAME is not set: take it from fieldRef spec.nodeName" },
    { args: ["agent"], env: { KUBERNETES_SERVICE_HOST: "" }, says: "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set" },
    { args: ["agent", "--kubeconfig=/nowhere"], env: {}, says: 'Cannot read kubeconfig "/nowhere"' },
    {
      args: ["controller", "--cloneset-workers=0"],
      env: {},
      says: 'invalid value "0" for flag "--cloneset-workers": allowed are whole numbers',
    },
    { args: ["controller", "--enable-leader-election=maybe"], env: {}, says: '"--enable-leader-election": allowed are true and false' },
    { args: ["controller"], env: { KUBERNETES_SERVICE_PORT: "" }, says: "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set" },
  ])("$args with environment $env ends with code 2 and one line that names it", async ({ args, env, says }) => {
    const process = product.start(args, { ...IN_CLUSTER, ...env });
    expect(await process.ended).toEqual({ code: 2, signal: null });
    expect(process.stderr).toContain(says);
    expect(process.stderr).toMatch(/^podmend (agent|agnet|controller): [^\n]+\n$/);
    expect(process.stdout).toBe("");
  });
});

test("a kubeconfig where its reader is not installed, as in the image, ends with code 2 and says so", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "podmend-image-"));
  copyFileSync(join(product.directory, "podmend.cjs"), join(elsewhere, "podmend.cjs"));
  const process = new ProductProcess([join(elsewhere, "podmend.cjs"), "controller", "--kubeconfig=/nowhere"], {});
  expect(await process.ended).toEqual({ code: 2, signal: null });
  expect(process.stderr).toMatch(/^podmend controller: flag "--kubeconfig" cannot be used here: [^\n]+ is not installed\n$/);
  rmSync(elsewhere, { recursive: true });
});

describe("a port that is taken", () => {
  let squatter: Server;
  let port: number;

  beforeAll(async () => {
    squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
    ({ port } = squatter.address() as AddressInfo);
  });

  afterAll(async () => {
    await new Promise((resolve) => squatter.close(resolve));
  });

  test.each(["agent", "controller"])("ends the %s with code 1 and an error line that names it", async (command) => {
    const process = product.start([command, `--addr=127.0.0.1:${port}`], IN_CLUSTER);
    expect(await process.ended).toEqual({ code: 1, signal: null });
    expect(process.log().at(-1)).toMatchObject({
      level: "error",
      msg: "Process breaks",
      failure: { code: "HEALTH_CANNOT_LISTEN", message: `Cannot listen on "127.0.0.1:${port}": another process listens there` },
    });
    expect(process.stderr + process.stdout).not.toContain("    at ");
  });
});

describe("an error that nobody caught", () => {
  test.each([
    { where: "a promise", code: "Promise.reject(new RangeError('boom'))" },
    { where: "a callback", code: "throw new RangeError('boom')" },
  ])("in $where ends the process with code 1 and one error line", async ({ code }) => {
    const path = join(product.directory, "bug.cjs");
    writeFileSync(path, `setTimeout(() => { ${code} }, 1_000);`);
    const process = product.start(["agent", "--addr=127.0.0.1:0", "--socket-file=/nowhere"], {
      ...IN_CLUSTER,
      NODE_OPTIONS: `--require=${path}`,
    });
    expect(await process.ended).toEqual({ code: 1, signal: null });
    expect(process.log().at(-1)).toMatchObject({
      level: "error",
      msg: "Process breaks",
      component: "agent",
      failure: { name: "RangeError", message: "boom" },
    });
    expect(process.stderr).toBe("");
  });
});

describe("what needs no cluster", () => {
  test.each([
    { args: ["version"], says: /^podmend \d+\.\d+\.\d+\n$/ },
    { args: ["--help"], says: /Usage: podmend COMMAND/ },
    { args: [], says: /Usage: podmend COMMAND/ },
    { args: ["agent", "--help"], says: /--socket-file string/ },
    { args: ["controller", "-h"], says: /--enable-leader-election\n/ },
  ])("$args prints and ends with code 0", async ({ args, says }) => {
    const process = product.start(args);
    expect(await process.ended).toEqual({ code: 0, signal: null });
    expect(process.stdout).toMatch(says);
    expect(process.stderr).toBe("");
  });
});
