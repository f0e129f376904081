import { jest } from "@jest/globals";
import { createKubeClient } from "../../src/kube/kube-client.js";
import { kubeconfigAccess } from "../../src/kube/kubeconfig.js";
import { createNodeWire } from "../../src/kube/node-http2-wire.js";
import { systemClock } from "../../src/lib/clock.js";
import { silentMetrics } from "../../src/lib/metrics.js";
import { systemRandom } from "../../src/lib/random.js";
import { describeApi } from "../support/api-suite.js";
import { dropNamespace, makeNamespace } from "./support/cluster.js";

jest.setTimeout(60_000);

// The same suite runs on the model in test/component/kube/model-conformance.test.ts.
describeApi("the cluster's API server", async () => {
  const namespace = await makeNamespace("api");
  const access = await kubeconfigAccess({ path: process.env["KUBECONFIG"] ?? "", clock: systemClock });
  const wire = createNodeWire({ ...access, clock: systemClock });
  const { credentials } = access;
  const ports = { clock: systemClock, random: systemRandom, metrics: silentMetrics };
  const client = createKubeClient({ wire, credentials, component: "suite", version: "0.0.0", qps: -1, ...ports });
  return {
    client,
    namespace,
    async close() {
      await wire.close();
      await dropNamespace(namespace);
    },
  };
});
