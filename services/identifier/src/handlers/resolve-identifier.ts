import { notFound, parseIdentifier, type resolveIdentifier } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { settle } from '../protocol/settle.ts';

/**
 * Finds the card of an identifier, in any letter case. A number whose operation is still under way is driven to its end
 * first, so whoever was told an identifier can look it up at once.
 * @throws CardinalError `not_found` where it was never issued; `unavailable` where the card service cannot tell now
 */
export const resolveIdentifierHandler =
  ({ lookups, bus, confirmations }: Parts): Handler<typeof resolveIdentifier> =>
  async ({ workspace_id, identifier }) => {
    const parsed = parseIdentifier(identifier);
    if (!parsed) throw notFound('Card');
    const key = { workspace_id, ...parsed };

    const owner = await lookups.submit(key);
    if (!owner) throw notFound('Card');
    if (owner.state === 'issued' || (await settle({ bus, confirmations }, owner))) return { card_id: owner.card_id };

    // The card service forgets an operation when its number is confirmed, which may have happened since the lookup.
    const again = await lookups.submit(key);
    if (again?.state !== 'issued') throw notFound('Card');
    return { card_id: again.card_id };
  };
