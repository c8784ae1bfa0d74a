import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { Journal } from '../journal.ts';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint, keyOf } from '../plan/identity.ts';

/** By how many versions comments and subtasks raise that of their card: one each, and one for a subtask that is done. */
export const extrasOf = ({ comments, subtasks }: PlannedCard): number =>
  comments.length + subtasks.length + subtasks.filter(({ completed }) => completed).length;

/** Those of a list that another one lacks, each with how many equal ones come before it. */
const lacking = <Item>(wanted: Item[], there: string[], nameOf: (item: Item) => string): [Item, number][] => {
  const count = (counts: Map<string, number>, name: string) => {
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    return before;
  };
  const has = new Map<string, number>();
  for (const name of there) count(has, name);
  const seen = new Map<string, number>();
  return wanted
    .map((item): [Item, number] => [item, count(seen, nameOf(item))])
    .filter(([item, before]) => before >= (has.get(nameOf(item)) ?? 0));
};

/**
 * Makes a card's comments and subtasks, in their order; two runs at once make each once, as their keys are the same.
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
    for (const [body, before] of lacking(card.comments, bodies, (one) => one)) {
      await client.comments.create(id, { body }, { idempotencyKey: keyOf('comment', id, before, fingerprint(body)) });
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
    for (const [subtask, before] of lacking(subtasks, titles, ({ title }) => title)) {
      const key = keyOf('subtask', id, before, fingerprint(subtask.title));
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
