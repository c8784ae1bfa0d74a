import { CardinalError } from './errors.ts';

/**
 * Reads a resource and writes it; where another writer was faster (412) reads it again and repeats the write on the
 * new version: `writeFresh(() => client.cards.get(id), (card) => client.cards.update(card, { title: `${card.title}!`
 * }))`.
 * @param write makes the change of what was just read, with its version
 * @param options.attempts writes at most, 5 by default
 * @returns what the write answers
 * @throws CardinalError `precondition_failed` after the last attempt; other errors of `read` and `write` pass through
 */
export const writeFresh = async <Resource, Answer>(
  read: () => Promise<Resource>,
  write: (resource: Resource) => Promise<Answer>,
  { attempts = 5 }: { attempts?: number } = {},
): Promise<Answer> => {
  for (let attempt = 1; ; attempt += 1) {
    const resource = await read();
    try {
      return await write(resource);
    } catch (error) {
      const isStale = error instanceof CardinalError && error.code === 'precondition_failed';
      if (!isStale || attempt >= attempts) throw error;
    }
  }
};
