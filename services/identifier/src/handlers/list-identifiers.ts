import { type listIdentifiers, notFound, unavailable } from '@cardinal/contracts';
import { historyOf } from '../ledger/history.ts';
import { listOfCard } from '../ledger/ledger.ts';
import type { Handler, Parts } from '../parts.ts';

/**
 * A card's identifier history as of the identifier that the card names as current. The caller asked the card service
 * first: an identifier leaves `unrecorded` only when the ledger has it, so in this order none is missed.
 * @throws CardinalError `not_found` where the card never had one; `unavailable` where the ledger lacks the current one,
 *   as it does after it was restored from a backup and until it is repaired
 */
export const listIdentifiersHandler =
  ({ db }: Parts): Handler<typeof listIdentifiers> =>
  async ({ workspace_id, card_id, current_identifier, unrecorded }) => {
    const issued = await db.read((tx) => listOfCard(tx, workspace_id, card_id, unrecorded));
    if (issued.length === 0) throw notFound('Card');
    const history = historyOf(issued, current_identifier);
    if (!history) throw unavailable(`The ledger does not know ${current_identifier} yet`);
    return history;
  };
