import { expect, test } from "@jest/globals";
import { candidateSockets } from "../../../src/cri/sockets.js";

test("candidateSockets() gives the known places below the run directory, most likely first", () => {
  expect(candidateSockets({ runDirectory: "/hostvarrun/" })).toEqual([
    "/hostvarrun/containerd.sock",
    "/hostvarrun/containerd/containerd.sock",
    "/hostvarrun/crio.sock",
    "/hostvarrun/crio/crio.sock",
    "/hostvarrun/cri-dockerd.sock",
    "/hostvarrun/cri-dockerd/cri-dockerd.sock",
  ]);
});

test.each([
  ["k3s/containerd.sock", "/hostvarrun/k3s/containerd.sock"],
  ["/run/my.sock", "/run/my.sock"],
  ["unix:///run/my.sock", "/run/my.sock"],
])("candidateSockets() with the socket %s gives only that one", (socketFile, want) => {
  expect(candidateSockets({ runDirectory: "/hostvarrun", socketFile })).toEqual([want]);
});

test("candidateSockets() takes an empty socket for none", () => {
  expect(candidateSockets({ runDirectory: "/run", socketFile: "" })).toHaveLength(6);
});
