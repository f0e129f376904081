import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type CriFixture, neverAborted, startCriFixture } from "../../support/cri-fixture.js";

const POD = { namespace: "shop", name: "web-0", uid: "6f2c0000-0000-4000-8000-000000000001" };
const signal = neverAborted();
let cri: CriFixture;

beforeEach(async () => {
  cri = await startCriFixture();
});

afterEach(() => cri.close());

describe("openCriRuntime()", () => {
  test("reads a reply over grpc's default limit of 4 MiB", async () => {
    cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.listPaddingBytes = 6 * 1024 * 1024;

    const [container] = await cri.runtime.listContainers({ podUid: POD.uid }, signal);

    expect(container?.annotations["padding"]?.length).toBe(6 * 1024 * 1024);
  });
});
