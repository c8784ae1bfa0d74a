import { type listIdentifiers, notFound } from '@cardinal/contracts';
import { historyOf } from '../domain/history.ts';
import type { Handler, Parts } from '../parts.ts';
import { settle } from '../protocol/settle.ts';
import { listCardNumbers } from '../store/list-card-numbers.ts';

/**
 * A card's identifier history as of the identifier that the card names as current. Numbers still under way are driven to
 * their end first: the current one may be among them.
 * @throws CardinalError `not_found` where the card never had one; `unavailable` where the card service cannot tell now
 */
export const listIdentifiersHandler =
  ({ db, bus, confirmations }: Parts): Handler<typeof listIdentifiers> =>
  async ({ workspace_id, card_id, current_identifier }) => {
    const read = () => db.read((tx) => listCardNumbers(tx, workspace_id, card_id));
    let { issued, pending } = await read();
    if (pending.length > 0) {
      await Promise.all(
        pending.map(({ operation_id }) => settle({ bus, confirmations }, { workspace_id, operation_id })),
      );
      ({ issued, pending } = await read());
    }
    if (issued.length === 0) throw notFound('Card');
    const history = historyOf(issued, current_identifier);
    if (!history) throw new Error(`The card ${card_id} names an identifier that it was never given`);
    return history;
  };
