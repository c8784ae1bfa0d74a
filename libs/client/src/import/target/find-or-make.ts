import type { PostOptions } from '../../transport.ts';

/**
 * Finds a thing or makes it under a derived key, so that two imports at once, or one that was killed after its request
 * went out, end up with one. A replay answers with what an earlier run made; where that is gone by now (archived,
 * renamed, deleted), the next key makes a new one.
 * @param keyOf the key of the n-th thing that ever went by this name, from 1
 */
export const findOrMake = async <Thing>(steps: {
  find: () => Promise<Thing | undefined>;
  make: (options: PostOptions) => Promise<Thing>;
  keyOf: (n: number) => string;
}): Promise<Thing> => {
  const found = await steps.find();
  if (found) return found;
  for (let n = 1; ; n += 1) {
    let replayed = false;
    const made = await steps.make({
      idempotencyKey: steps.keyOf(n),
      onReply: (reply) => {
        replayed = reply.replayed;
      },
    });
    const usable = replayed ? await steps.find() : made;
    if (usable) return usable;
  }
};
