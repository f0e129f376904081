/** Calls `work` for every item, at most `limit` at a time, in order of the items; rejects with the first failure once all have ended. */
export async function forEachBounded<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const item of { [Symbol.iterator]: () => waiting }) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane));
  for (const result of ended) if (result.status === "rejected") throw result.reason;
}
