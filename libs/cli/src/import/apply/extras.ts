import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint, keyOf } from '../plan/identity.ts';

/** The comments and subtasks of a card, in order. */
export type Extras = Pick<PlannedCard, 'comments' | 'subtasks'>;

/** By how much comments and subtasks raise the version of their card: one each, and one more for a completed subtask. */
export const extrasOf = ({ comments, subtasks }: Extras): number =>
  comments.length + subtasks.length + subtasks.filter(({ completed }) => completed).length;

/**
 * Creates the missing items; of equal ones as many as are missing.
 * @param make creates an item; it gets the number of equal items before it
 * @returns all items, in order
 */
const withMissing = async <Item>(
  wanted: readonly string[],
  there: readonly Item[],
  nameOf: (item: Item) => string,
  make: (name: string, before: number) => Promise<Item>,
): Promise<Item[]> => {
  const left = [...there];
  const seen = new Map<string, number>();
  const all: Item[] = [];
  for (const name of wanted) {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    const at = left.findIndex((item) => nameOf(item) === name);
    const [known] = at === -1 ? [] : left.splice(at, 1);
    all.push(known ?? (await make(name, before)));
  }
  return all;
};

/**
 * Creates a card's comments and subtasks, in order. Two concurrent runs use the same keys, so each is created once.
 * @param isNew whether the card cannot have any yet; otherwise existing ones are read first
 * @returns the ids of its subtasks
 */
export const makeExtras = async (
  client: CardinalClient,
  id: string,
  { comments, subtasks }: Extras,
  isNew: boolean,
): Promise<string[]> => {
  if (comments.length > 0) {
    const there = isNew ? [] : await client.comments.list(id).all();
    await withMissing(
      comments,
      there,
      ({ body }) => body,
      (body, before) =>
        client.comments.create(id, { body }, { idempotencyKey: keyOf('comment', id, before, fingerprint(body)) }),
    );
  }
  if (subtasks.length === 0) return [];
  const made = await withMissing(
    subtasks.map(({ title }) => title),
    isNew ? [] : await client.subtasks.list(id).all(),
    ({ title }) => title,
    (title, before) =>
      client.subtasks.create(id, { title }, { idempotencyKey: keyOf('subtask', id, before, fingerprint(title)) }),
  );
  for (const [n, subtask] of made.entries()) {
    // A run that was stopped may have made it without completing it.
    if (!subtasks[n]?.completed || subtask.completed_at !== null) continue;
    await writeFresh(
      () => client.subtasks.get(subtask.id),
      (one) => client.subtasks.update(one, { completed: true }),
    );
  }
  return made.map((one) => one.id);
};
