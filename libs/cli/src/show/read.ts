import type { Card, CardinalClient } from '@cardinal/client/source';
import { isIdentifier } from '@cardinal/contracts';
import { UsageError } from '../errors.ts';
import { isId } from '../names/kinds.ts';

/** Events that are shown. */
const lastEvents = 5;

const find = async (client: CardinalClient, text: string): Promise<Card> => {
  if (isIdentifier(text)) return (await client.cards.getByIdentifier(text)).card;
  if (!isId(text)) throw new UsageError(`<card>: "${text}" is no identifier such as PAY-7, and no UUID`);
  return client.cards.get(text);
};

/**
 * A card with what hangs on it.
 * @param onUnread called with the error where the last events cannot be read, which are null then: another service has them
 * @throws CardinalError where there is no card that the caller sees
 */
export const readWhole = async (client: CardinalClient, text: string, onUnread: (error: unknown) => void) => {
  const card = await find(client, text);
  const [board, column, labels, identifiers, dependencies, dependents, events] = await Promise.all([
    client.boards.get(card.board_id).catch(() => undefined),
    client.columns.get(card.column_id).catch(() => undefined),
    card.label_ids.length > 0 ? client.labels.list().all() : [],
    client.cards.listIdentifiers(card.id).all(),
    client.cards.listDependencies(card.id).all(),
    client.cards.listDependents(card.id).all(),
    client.cards
      .listEvents(card.id, { order: 'desc' })
      .all({ limit: lastEvents })
      .catch((error: unknown) => {
        onUnread(error);
        return null;
      }),
  ]);
  const labelNames = labels.filter(({ id }) => card.label_ids.includes(id)).map(({ name }) => name);
  return {
    card,
    board: board?.name ?? null,
    column: column?.name ?? null,
    labels: labelNames,
    identifiers,
    dependencies,
    dependents,
    events: events?.toReversed() ?? null,
  };
};

/** What {@link readWhole} reads. */
export type Whole = Awaited<ReturnType<typeof readWhole>>;
