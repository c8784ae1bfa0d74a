/**
 * Works through items, at most `concurrency` at once, reading the next one only when there is room for it. After a
 * failure, or once `isStopped` says so, no further item is begun; those in hand are finished.
 * @throws the first failure
 */
export const workThrough = async <Item>(
  items: AsyncIterable<Item>,
  { concurrency, isStopped }: { concurrency: number; isStopped: () => boolean },
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const iterator = items[Symbol.asyncIterator]();
  let failed = false;
  const worker = async () => {
    while (!failed && !isStopped()) {
      const next = await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const guarded = () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    });
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, guarded));
  await iterator.return?.();
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
};
