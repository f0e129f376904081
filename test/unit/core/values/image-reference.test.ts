import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { familiarName, fullReference, nameAndTag, parseImageReference } from "../../../../src/core/values/image-reference.js";

const HEX = "0123456789abcdef".repeat(4);
const DIGEST = `sha256:${HEX}`;

describe("parseImageReference()", () => {
  for (const { text, full, name, tag } of [
    { text: "nginx", full: "docker.io/library/nginx:latest", name: "nginx", tag: "latest" },
    { text: "nginx:1.21", full: "docker.io/library/nginx:1.21", name: "nginx", tag: "1.21" },
    { text: "docker.io/library/nginx", full: "docker.io/library/nginx:latest", name: "nginx", tag: "latest" },
    { text: "docker.io/nginx:1", full: "docker.io/library/nginx:1", name: "nginx", tag: "1" },
    { text: "index.docker.io/foo/bar:1", full: "docker.io/foo/bar:1", name: "foo/bar", tag: "1" },
    { text: "foo/bar", full: "docker.io/foo/bar:latest", name: "foo/bar", tag: "latest" },
    { text: "library/a/b", full: "docker.io/library/a/b:latest", name: "library/a/b", tag: "latest" },
    { text: "reg:5000/a/b:c", full: "reg:5000/a/b:c", name: "reg:5000/a/b", tag: "c" },
    { text: "host:5000/app", full: "host:5000/app:latest", name: "host:5000/app", tag: "latest" },
    { text: "quay.io/app:v1", full: "quay.io/app:v1", name: "quay.io/app", tag: "v1" },
    { text: "localhost/app", full: "localhost/app:latest", name: "localhost/app", tag: "latest" },
    { text: "localhost:5000", full: "docker.io/library/localhost:5000", name: "localhost", tag: "5000" },
    { text: "Host/app", full: "Host/app:latest", name: "Host/app", tag: "latest" },
    { text: "[::1]:5000/app:v1", full: "[::1]:5000/app:v1", name: "[::1]:5000/app", tag: "v1" },
    { text: "[fd00:1::2]/app", full: "[fd00:1::2]/app:latest", name: "[fd00:1::2]/app", tag: "latest" },
    { text: `nginx@${DIGEST}`, full: `docker.io/library/nginx@${DIGEST}`, name: "nginx", tag: DIGEST },
    { text: `nginx:1.21@${DIGEST}`, full: `docker.io/library/nginx@${DIGEST}`, name: "nginx", tag: DIGEST },
    { text: `reg:5000/a:b@${DIGEST}`, full: `reg:5000/a@${DIGEST}`, name: "reg:5000/a", tag: DIGEST },
    { text: "a__b/c---d/e.f_g", full: "docker.io/a__b/c---d/e.f_g:latest", name: "a__b/c---d/e.f_g", tag: "latest" },
    { text: HEX.slice(1), full: `docker.io/library/${HEX.slice(1)}:latest`, name: HEX.slice(1), tag: "latest" },
    { text: `a:${"t".repeat(128)}`, full: `docker.io/library/a:${"t".repeat(128)}`, name: "a", tag: "t".repeat(128) },
    { text: `q.io/${"n".repeat(255)}`, full: `q.io/${"n".repeat(255)}:latest`, name: `q.io/${"n".repeat(255)}`, tag: "latest" },
  ]) {
    test(`parseImageReference() reads ${text.slice(0, 40)}`, () => {
      const reference = parseImageReference(text);
      expect(reference).toBeDefined();
      if (reference === undefined) return;
      expect(fullReference(reference)).toBe(full);
      expect(nameAndTag(reference)).toEqual({ name, tag });
      expect(familiarName(reference)).toBe(name);
    });
  }

  test("parseImageReference() keeps the parts as written", () => {
    expect(parseImageReference(`reg:5000/a:b@${DIGEST}`)).toEqual({ domain: "reg:5000", path: "a", tag: "b", digest: DIGEST });
    expect(parseImageReference("nginx")).toEqual({ domain: "docker.io", path: "library/nginx" });
  });

  for (const { text, why } of [
    { text: "", why: "it is empty" },
    { text: "Nginx", why: "the repository has upper case" },
    { text: "quay.io/App", why: "the repository has upper case behind a host" },
    { text: "a//b", why: "a component is empty" },
    { text: "/a", why: "the first component is empty" },
    { text: "a/", why: "the last component is empty" },
    { text: "a:", why: "the tag is empty" },
    { text: "a:b:c", why: "there are two tags" },
    { text: "a:-b", why: "the tag starts with a dash" },
    { text: `a:${"t".repeat(129)}`, why: "the tag is longer than 128" },
    { text: `q.io/${"n".repeat(256)}`, why: "the path is longer than 255" },
    { text: "a@", why: "the digest is empty" },
    { text: "a@sha256:abc", why: "the digest is short" },
    { text: `a@sha256:${HEX.toUpperCase()}`, why: "the digest has upper case" },
    { text: `a@md5:${HEX}`, why: "the algorithm is unknown" },
    { text: `a@${DIGEST}@${DIGEST}`, why: "there are two digests" },
    { text: HEX, why: "it is a bare image id" },
    { text: "a b", why: "it holds a blank" },
    { text: "a\n", why: "it ends with a newline" },
    { text: "-a", why: "it starts with a dash" },
    { text: "a___b", why: "it has three underscores" },
    { text: "a..b", why: "it has two dots" },
    { text: "host:port/a", why: "the port is no number" },
    { text: "[::1/a", why: "the bracket is open" },
    { text: "https://quay.io/a", why: "it is a URL" },
  ]) {
    test(`parseImageReference() refuses ${JSON.stringify(text.slice(0, 30))} because ${why}`, () => {
      expect(parseImageReference(text)).toBeUndefined();
    });
  }

  test("parseImageReference() reads back every full reference", () => {
    const shape = fc.stringMatching(/^([a-z]{1,3}\.[a-z]{1,3}(:\d{1,4})?\/)?[a-z]{1,3}(\/[a-z0-9]{1,3}){0,2}(:[\w][\w.-]{0,5})?$/);
    fc.assert(
      fc.property(shape, (text) => {
        const reference = parseImageReference(text);
        if (reference === undefined) return false;
        const again = parseImageReference(fullReference(reference));
        const { name, tag } = nameAndTag(reference);
        const short = parseImageReference(`${name}:${tag}`);
        return [again, short].every((other) => other !== undefined && fullReference(other) === fullReference(reference));
      }),
    );
  });

  test("parseImageReference() never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => ["object", "undefined"].includes(typeof parseImageReference(text))));
  });
});
