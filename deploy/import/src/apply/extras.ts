import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint, keyOf } from '../plan/identity.ts';
import type { Journal } from './journal.ts';

/** By how many versions comments and subtasks raise that of their card: one each, and one for a subtask that is done. */
export const extrasOf = ({ comments, subtasks }: PlannedCard): number =>
  comments.length + subtasks.length + subtasks.filter(({ completed }) => completed).length;

/** Those of a list that another one lacks; equal ones count one by one. */
const lacking = <Item>(wanted: Item[], there: string[], nameOf: (item: Item) => string): Item[] => {
  const left = new Map<string, number>();
  for (const name of there) left.set(name, (left.get(name) ?? 0) + 1);
  return wanted.filter((item) => {
    const name = nameOf(item);
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0;
  });
};

/**
 * Makes a card's comments and subtasks, in their order.
 * @param isNew whether the card was made just now; of others what they have already is looked at first
 */
export const makeExtras = async (
  client: CardinalClient,
  journal: Journal,
  card: PlannedCard,
  { id, isNew }: { id: string; isNew: boolean },
): Promise<void> => {
  const { name, subtasks } = card;
  if (card.comments.length > 0) {
    const there = isNew ? [] : await client.comments.list(id).all();
    const bodies = there.map(({ body }) => body);
    for (const [n, body] of lacking(card.comments, bodies, (one) => one).entries()) {
      await client.comments.create(
        id,
        { body },
        { idempotencyKey: keyOf('comment', id, n, fingerprint(body), journal.run) },
      );
    }
  }
  if (subtasks.length > 0) {
    const there = isNew ? [] : await client.subtasks.list(id).all();
    // A run that was stopped may have made a subtask without completing it.
    for (const { id: subtaskId, title, completed_at } of there) {
      const isDone = subtasks.some((one) => one.title === title && one.completed);
      if (isDone && completed_at === null) await complete(client, subtaskId);
    }
    const titles = there.map(({ title }) => title);
    for (const [n, subtask] of lacking(subtasks, titles, ({ title }) => title).entries()) {
      const key = keyOf('subtask', id, n, fingerprint(subtask), journal.run);
      const made = await client.subtasks.create(id, { title: subtask.title }, { idempotencyKey: key });
      if (subtask.completed) await complete(client, made.id);
    }
  }
  await journal.append({ whole: name });
};

const complete = (client: CardinalClient, id: string) =>
  writeFresh(
    () => client.subtasks.get(id),
    (subtask) => client.subtasks.update(subtask, { completed: true }),
  );
