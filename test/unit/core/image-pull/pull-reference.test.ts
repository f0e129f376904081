import { describe, expect, test } from "@jest/globals";
import { isHeldAs, pullReference, shownImageId, shownReference } from "../../../../src/core/image-pull/pull-reference.js";

const DIGEST = `sha256:${"ab".repeat(32)}`;

describe("pullReference()", () => {
  for (const [image, tag, full] of [
    ["nginx", "1.25", "docker.io/library/nginx:1.25"],
    ["reg:5000/a/b", "c", "reg:5000/a/b:c"],
    ["nginx", DIGEST, `docker.io/library/nginx@${DIGEST}`],
    ["lab.local/app", DIGEST, `lab.local/app@${DIGEST}`],
    ["No Such", "x", undefined],
    ["nginx", "sha256:short", undefined],
  ]) {
    test(`pullReference() of ${image} and ${tag?.slice(0, 20)}`, () => expect(pullReference(image ?? "", tag ?? "")).toBe(full));
  }

  test("a digest is shown behind @, a tag behind a colon", () => {
    expect(shownReference("nginx", "1.25")).toBe("nginx:1.25");
    expect(shownReference("nginx", DIGEST)).toBe(`nginx@${DIGEST}`);
  });
});

describe("isHeldAs()", () => {
  const image = { repoTags: ["nginx:1.25", "quay.io/x:v1"], repoDigests: [`nginx@${DIGEST}`] };
  for (const [reference, want] of [
    ["docker.io/library/nginx:1.25", true],
    [`docker.io/library/nginx@${DIGEST}`, true],
    ["docker.io/library/nginx:1.26", false],
    ["quay.io/nginx:1.25", false],
  ] as const) {
    test(`isHeldAs() says ${want} for ${reference.slice(0, 40)}`, () => expect(isHeldAs(image, reference)).toBe(want));
  }

  test("names that are no references are passed over", () => {
    expect(isHeldAs({ repoTags: ["<none>:<none>"], repoDigests: [] }, "docker.io/library/nginx:1")).toBe(false);
  });
});

describe("shownImageId()", () => {
  test("it joins the name and the ID, whether the runtime answers with an ID or with a name", () => {
    expect(shownImageId("lab.local/app", DIGEST)).toBe(`lab.local/app@${DIGEST}`);
    expect(shownImageId("nginx", `docker.io/library/nginx@${DIGEST}`)).toBe(`nginx@${DIGEST}`);
  });
});
