import { describe, expect, test } from "@jest/globals";
import { fileCredentials, inClusterAccess } from "../../../src/kube/auth.js";
import type { Files } from "../../../src/lib/files.js";
import { FakeClock } from "../../support/fake-clock.js";

interface FakeFile {
  content: string;
  modifiedMs: number;
}

class FakeFiles implements Files {
  readonly files = new Map<string, FakeFile>();
  reads = 0;

  set(path: string, content: string, modifiedMs: number): void {
    this.files.set(path, { content, modifiedMs });
  }

  async read(path: string): Promise<Buffer> {
    this.reads++;
    return Buffer.from(this.#file(path).content);
  }

  async modifiedMs(path: string): Promise<number> {
    return this.#file(path).modifiedMs;
  }

  #file(path: string): FakeFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Error(`ENOENT: ${path}`);
    return file;
  }
}

function setUp() {
  const [files, clock] = [new FakeFiles(), new FakeClock()];
  files.set("/token", "first\n", 1);
  return { files, clock, credentials: fileCredentials({ token: "/token", ca: "/ca", files, clock }) };
}

describe("fileCredentials()", () => {
  test("keeps the token while its file is unchanged, and follows a change within a second", async () => {
    const { files, clock, credentials } = setUp();
    expect(await credentials.authorization()).toBe("Bearer first");
    await clock.advance(1_000);
    expect(await credentials.authorization()).toBe("Bearer first");
    expect(files.reads).toBe(1);
    files.set("/token", "second", 2);
    expect(await credentials.authorization()).toBe("Bearer first");
    await clock.advance(1_000);
    expect(await credentials.authorization()).toBe("Bearer second");
  });

  test("reads again after 60 s even if the time of change tells nothing", async () => {
    const { files, clock, credentials } = setUp();
    await credentials.authorization();
    files.set("/token", "second", 1);
    await clock.advance(59_999);
    expect(await credentials.authorization()).toBe("Bearer first");
    await clock.advance(1_000);
    expect(await credentials.authorization()).toBe("Bearer second");
  });

  test("reads at once after renew()", async () => {
    const { files, credentials } = setUp();
    await credentials.authorization();
    files.set("/token", "second", 1);
    credentials.renew();
    expect(await credentials.authorization()).toBe("Bearer second");
  });

  test("keeps what it had while a file is being replaced, and fails if it never could be read", async () => {
    const { files, clock, credentials } = setUp();
    await credentials.authorization();
    files.files.delete("/token");
    await clock.advance(1_000);
    expect(await credentials.authorization()).toBe("Bearer first");
    await expect(credentials.tls()).rejects.toMatchObject({
      kind: "transient",
      code: "KUBE_CREDENTIALS",
      message: 'Cannot read credentials "/ca": ENOENT: /ca',
    });
  });

  test("tls() is the same object until a file's content changes", async () => {
    const { files, clock, credentials } = setUp();
    files.set("/ca", "pem", 1);
    const first = await credentials.tls();
    expect(first).toEqual({ ca: "pem" });
    files.set("/ca", "pem", 2);
    await clock.advance(1_000);
    expect(await credentials.tls()).toBe(first);
    files.set("/ca", "other pem", 3);
    await clock.advance(1_000);
    expect(await credentials.tls()).toEqual({ ca: "other pem" });
  });
});

describe("inClusterAccess()", () => {
  const ports = { files: new FakeFiles(), clock: new FakeClock() };

  test("puts the address together, also for IPv6", () => {
    expect(inClusterAccess({ host: "10.0.0.1", port: "443", ...ports }).server).toBe("https://10.0.0.1:443");
    expect(inClusterAccess({ host: "fd00::1", port: "6443", ...ports }).server).toBe("https://[fd00::1]:6443");
  });

  test.each([
    [undefined, "443"],
    ["10.0.0.1", undefined],
    ["", ""],
  ])("throws outside of a cluster (%s, %s)", (host, port) => {
    expect(() => inClusterAccess({ host, port, ...ports })).toThrow(/Cannot find the API server: KUBERNETES_SERVICE_HOST/);
  });

  test("reads token and authority where Kubernetes mounts them", async () => {
    const files = new FakeFiles();
    files.set("/sa/token", "t", 1);
    files.set("/sa/ca.crt", "pem", 1);
    const { credentials } = inClusterAccess({ host: "h", port: "1", directory: "/sa", files, clock: new FakeClock() });
    expect([await credentials.authorization(), await credentials.tls()]).toEqual(["Bearer t", { ca: "pem" }]);
  });
});
