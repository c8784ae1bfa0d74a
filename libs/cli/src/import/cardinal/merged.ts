/** Merges two sequences that are in the order of `compare`. */
export async function* merged<Item>(
  one: AsyncIterable<Item>,
  other: AsyncIterable<Item>,
  compare: (a: Item, b: Item) => number,
): AsyncGenerator<Item> {
  const left = one[Symbol.asyncIterator]();
  const right = other[Symbol.asyncIterator]();
  let [a, b] = await Promise.all([left.next(), right.next()]);
  while (!a.done || !b.done) {
    if (!a.done && (b.done || compare(a.value, b.value) <= 0)) {
      yield a.value;
      a = await left.next();
    } else if (!b.done) {
      yield b.value;
      b = await right.next();
    }
  }
}

/** Maps items concurrently, `atOnce` at a time. Yields the results in the order of the items. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  const next = () => running.shift() as Promise<Result>;
  try {
    for await (const item of items) {
      const one = work(item);
      // Keeps Node from reporting it as unhandled: `next` throws it in the order of the items.
      one.catch(() => {});
      running.push(one);
      if (running.length >= atOnce) yield await next();
    }
    while (running.length > 0) yield await next();
  } finally {
    // After a failure, wait for the items under way.
    await Promise.allSettled(running);
  }
}
