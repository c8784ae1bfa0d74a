import { getCard, identifierHistoryEntry, listIdentifiers } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listIdentifiersEndpoint = read({
  path: '/cards/:card_id/identifiers',
  operationId: 'listIdentifiers',
  tag: 'Identifiers',
  summary: 'List every identifier that a card ever had, oldest first',
  params: cardId,
  reply: listed(identifierHistoryEntry),
  // Who may see the card, and which identifier is current, only the card's owner knows.
  answer: async ({ bus, by, params }) => {
    const { identifier } = await bus.call(getCard, { ...by, ...params });
    const items = await bus.call(listIdentifiers, { ...by, ...params, current_identifier: identifier });
    return { items, next_cursor: null };
  },
});
