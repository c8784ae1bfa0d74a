/** The user asked for an early end, and current work is finished. */
export class Stopped extends Error {}

/** How many items are worked on at once, and whether the user asked for an early end. */
export interface Bounds {
  concurrency: number;
  isStopped: () => boolean;
}

/** @throws Stopped once the user asked for it */
export const goOn = ({ isStopped }: Pick<Bounds, 'isStopped'>): void => {
  if (isStopped()) throw new Stopped();
};

/**
 * Works through items, at most `concurrency` at once, reading the next one only when there is room for it. After a
 * failure, which it throws, or once `isStopped` says so, those in hand are finished.
 * @throws Stopped
 */
export const forEachConcurrently = async <Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { concurrency, isStopped }: Bounds,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    try {
      while (!failed && !isStopped()) {
        const next = await iterator.next();
        if (next.done) return;
        await work(next.value);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  await iterator.return?.();
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
  goOn({ isStopped });
};
