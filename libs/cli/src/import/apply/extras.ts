import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint, keyOf } from '../plan/identity.ts';

/** What a card has on it, in its order. */
export type Extras = Pick<PlannedCard, 'comments' | 'subtasks'>;

/** By how many versions comments and subtasks raise that of their card: one each, and one for a subtask that is done. */
export const extrasOf = ({ comments, subtasks }: Extras): number =>
  comments.length + subtasks.length + subtasks.filter(({ completed }) => completed).length;

/**
 * Makes those that are not there, of equal ones as many as are missing.
 * @param make makes one that so many equal ones come before
 * @returns all that are wanted, in their order
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
 * Makes a card's comments and subtasks, in their order; two runs at once make each once, as their keys are the same.
 * @param isNew whether nobody can have made any; of others what they have already is looked at first
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
