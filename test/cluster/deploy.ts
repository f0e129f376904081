import type { ClusterPaths } from "./state.js";

export async function deploy(_paths: ClusterPaths): Promise<void> {
  await Promise.reject(new Error("Cannot deploy yet"));
}
