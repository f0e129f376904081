import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { apiServerProblem } from "../../support/real-api-server.js";
import { ACCESS_CASES } from "./access-cases.js";
import { Normaliser } from "./normalise.js";
import { REPLY_CASES } from "./reply-cases.js";
import { NAMESPACE, post } from "./requests.js";
import { runSequence } from "./run-sequence.js";
import { makeSequences } from "./sequences.js";
import { type ApiRequest, type ApiServerSubject, openModel, openReal } from "./subjects.js";

jest.setTimeout(240_000);

const SEED = 4;
const SEQUENCES = 200;

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

  test(`behave alike in ${String(SEQUENCES)} sequences of seed ${String(SEED)}, to whoever asks and to whoever watches`, async () => {
    const statuses = new Map<number, number>();
    for (const [index, steps] of makeSequences(SEED, SEQUENCES).entries()) {
      const place = { id: `s${String(index)}` };
      const wanted = await runSequence(real, steps, place);
      expect({ place, ...(await runSequence(model, steps, place)) }).toEqual({ place, ...wanted });
      for (const { reply } of wanted.replies as readonly { reply: { status: number } }[]) {
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      }
    }
    // A sequence in which everything is refused would prove little.
    const rare = [200, 201, 404, 409, 422].filter((status) => (statuses.get(status) ?? 0) < SEQUENCES / 5);
    expect([rare, [...statuses]]).toEqual([[], expect.anything()]);
  });

  test.each([...REPLY_CASES, ...ACCESS_CASES])("answer alike: $what", async ({ requests }) => {
    expect(await replies(model, requests)).toEqual(await replies(real, requests));
  });
});
