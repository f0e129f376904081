import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { apiServerProblem } from "../../support/real-api-server.js";
import { ACCESS_CASES } from "./access-cases.js";
import { Normaliser } from "./normalise.js";
import { REPLY_CASES } from "./reply-cases.js";
import { NAMESPACE, post } from "./requests.js";
import { type ApiRequest, type ApiServerSubject, openModel, openReal } from "./subjects.js";

jest.setTimeout(120_000);

const problem = apiServerProblem();
if (problem !== undefined) console.log(`Skipping conformance with a real API server: ${problem}`);

// With CI=true everything was installed before: then what is missing is a failure, not a skip.
(problem === undefined || process.env["CI"] === "true" ? describe : describe.skip)("the model and a real API server", () => {
  let model: ApiServerSubject;
  let real: ApiServerSubject;

  beforeAll(async () => {
    model = await openModel();
    real = await openReal();
    for (const subject of [model, real]) await subject.call(post("/api/v1/namespaces", { metadata: { name: NAMESPACE } }));
  }, 600_000);
  afterAll(async () => {
    await model?.close();
    await real?.close();
  });

  const replies = async (subject: ApiServerSubject, requests: readonly ApiRequest[]): Promise<readonly unknown[]> => {
    const normaliser = new Normaliser();
    const all: unknown[] = [];
    for (const asked of requests) {
      const reply = normaliser.reply(await subject.call(asked));
      all.push({ asked: `${asked.method} ${asked.path} ${JSON.stringify(asked.body)?.slice(0, 200) ?? ""}`, reply });
    }
    return all;
  };

  test.each([...REPLY_CASES, ...ACCESS_CASES])("answer alike: $what", async ({ requests }) => {
    expect(await replies(model, requests)).toEqual(await replies(real, requests));
  });
});
