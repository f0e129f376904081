import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ACCESS_CASES } from "../../conformance/api-server/access-cases.js";
import { recordedReplies, repliesOf } from "../../conformance/api-server/replies.js";
import { REPLY_CASES } from "../../conformance/api-server/reply-cases.js";
import { NAMESPACE, post } from "../../conformance/api-server/requests.js";
import { type ApiServerSubject, openModel } from "../../conformance/api-server/subjects.js";

// test/conformance/api-server compares the recording with a real API server where there is one.
const recorded = recordedReplies();
let model: ApiServerSubject;

beforeAll(async () => {
  model = await openModel();
  await model.call(post("/api/v1/namespaces", { metadata: { name: NAMESPACE } }));
});
afterAll(() => model.close());

test.each([...REPLY_CASES, ...ACCESS_CASES])(
  "the model answers as a real API server was recorded to: $what",
  async ({ what, requests }) => {
    expect(await repliesOf(model, requests)).toEqual(recorded[what]);
  },
);
