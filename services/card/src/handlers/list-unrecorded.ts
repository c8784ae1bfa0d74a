import { type listUnrecorded as contract, notFound } from '@cardinal/contracts';
import { unrecordedOfCard } from '../numbers/issued.ts';
import type { Handler, Parts } from '../parts.ts';
import { readCards } from '../store/read-cards.ts';

/**
 * The card's half of its history. The current identifier is read first: one that is issued after that is in `unrecorded`
 * or in the ledger, and is left out as younger than the card that was read.
 */
export const listUnrecorded =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (request) => {
    const [card] = await db.read((tx) => readCards(tx, [request]));
    if (!card) throw notFound('Card');
    const unrecorded = await db.read((tx) => unrecordedOfCard(tx, request.workspace_id, request.card_id));
    return { current_identifier: card.identifier, unrecorded };
  };
