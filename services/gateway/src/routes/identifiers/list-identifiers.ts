import { identifierHistoryEntry, listIdentifiers, listUnrecorded, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';
import { openHistoryPage } from '../../identifiers/history-page.ts';

export const listIdentifiersEndpoint = read({
  path: '/cards/:card_id/identifiers',
  operationId: 'listIdentifiers',
  tag: 'Identifiers',
  summary: 'List every identifier that a card ever had, oldest first',
  params: cardId,
  query: pageQuery,
  reply: listed(identifierHistoryEntry),
  // Who may see the card, which identifier is current and what is on its way to the ledger only the card's owner knows.
  answer: async ({ bus, by, params, query }) => {
    const pageOf = openHistoryPage(by, params.card_id, query);
    const ofCard = await bus.call(listUnrecorded, { ...by, ...params });
    return pageOf(await bus.call(listIdentifiers, { ...by, ...params, ...ofCard }));
  },
});
