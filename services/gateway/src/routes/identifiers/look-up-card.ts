import { cardResolvedView, Document, formatIdentifier, notFound, parseIdentifier } from '@cardinal/contracts';
import { z } from 'zod';
import { read } from '../../endpoint/endpoint.ts';
import { unversioned } from '../../endpoint/replies.ts';
import { lookUp } from '../../identifiers/look-up.ts';

export const lookUpCardEndpoint = read({
  path: '/cards/by-identifier/:identifier',
  operationId: 'getCardByIdentifier',
  tag: 'Identifiers',
  summary: 'Find a card by an identifier that it has or ever had',
  description: 'In any letter case. `is_alias` and `current_identifier` tell how to update a stale reference.',
  params: z.strictObject({ identifier: z.string() }),
  reply: unversioned(cardResolvedView),
  answer: async ({ bus, by, params: { identifier } }) => {
    const parts = parseIdentifier(identifier);
    if (!parts) throw notFound('Card');
    const canonical = formatIdentifier(parts.prefix, parts.number);
    const { card, text } = await lookUp(bus, by, canonical);
    const added = JSON.stringify({
      resolved_identifier: identifier,
      is_alias: canonical !== card.identifier,
      current_identifier: card.identifier,
    });
    return new Document({}, `${text.slice(0, -1)},${added.slice(1)}`);
  },
});
