import type { Event } from '@cardinal/client/source';
import {
  type Card,
  getBoard,
  getCard,
  getCardByIdentifier,
  getColumn,
  type IdentifierHistoryEntry,
  isIdentifier,
  listCardEvents,
  listDependencies,
  listDependents,
  listIdentifiers,
  listLabels,
  type Operation,
} from '@cardinal/contracts';
import type { Api } from '@cardinal/mcp/calls';
import { UsageError } from '../errors.ts';
import { isId } from '../names/kinds.ts';
import { ask, itemsOf } from '../operations/ask.ts';

/** Events that are shown. */
const lastEvents = 5;

interface End {
  card: { identifier: string; title: string; completed_at: string | null };
}

type Asked = Pick<Operation, 'http'>;

const find = async (api: Api, text: string): Promise<Card> => {
  if (isIdentifier(text)) {
    const { data } = await ask(api, getCardByIdentifier.http, { params: { identifier: text } });
    return (data as { card: Card }).card;
  }
  if (!isId(text)) throw new UsageError(`<card>: "${text}" is no identifier such as PAY-7, and no UUID`);
  return (await ask(api, getCard.http, { params: { card_id: text } })).data as Card;
};

/**
 * A card with what hangs on it.
 * @param onUnread called with the error where the last events cannot be read, which are null then: another service has them
 * @throws CardinalError where there is no card that the caller sees
 */
export const readWhole = async (api: Api, text: string, onUnread: (error: unknown) => void) => {
  const card = await find(api, text);
  const one = async <Data>({ http }: Asked, params: Record<string, string>) =>
    (await ask(api, http, { params })).data as Data;
  const list = async <Item>({ http }: Asked, params: Record<string, string>, last = Number.POSITIVE_INFINITY) => {
    const items: Item[] = [];
    for await (const item of itemsOf(api, http, { params })) {
      items.push(item as Item);
      if (items.length > last) items.shift();
    }
    return items;
  };
  const params = { card_id: card.id };
  const [board, column, labels, identifiers, dependencies, dependents, events] = await Promise.all([
    one<{ name: string }>(getBoard, { board_id: card.board_id }).catch(() => undefined),
    one<{ name: string }>(getColumn, { column_id: card.column_id }).catch(() => undefined),
    card.label_ids.length > 0 ? list<{ id: string; name: string }>(listLabels, {}) : [],
    list<IdentifierHistoryEntry>(listIdentifiers, params),
    list<End>(listDependencies, params),
    list<End>(listDependents, params),
    list<Event>(listCardEvents, params, lastEvents).catch((error: unknown) => {
      onUnread(error);
      return null;
    }),
  ]);
  const labelNames = labels.filter(({ id }) => card.label_ids.includes(id)).map(({ name }) => name);
  return {
    ...{ card, board: board?.name ?? null, column: column?.name ?? null, labels: labelNames },
    ...{ identifiers, dependencies, dependents, events },
  };
};

/** What {@link readWhole} reads. */
export type Whole = Awaited<ReturnType<typeof readWhole>>;
