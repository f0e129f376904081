import { jest } from "@jest/globals";
import { describeApi } from "../../support/api-suite.js";
import { startKubeFixture } from "../../support/kube-fixture.js";

jest.setTimeout(60_000);

// The same suite runs on a real API server in test/e2e/api-server.test.ts.
describeApi("the model", async () => {
  const fixture = await startKubeFixture();
  return { client: fixture.client, namespace: "suite", close: () => fixture.stop() };
});
