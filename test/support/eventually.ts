/** Polls `check` until it returns without throwing; fails with its last error after `timeoutMs`. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 5_000, periodMs = 10): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, periodMs));
    }
  }
}
