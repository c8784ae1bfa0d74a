import { notFound, parseIdentifier, type resolveIdentifier } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';

/**
 * Finds the card of a recorded identifier, in any letter case.
 * @throws CardinalError `not_found` where the ledger does not have it
 */
export const resolveIdentifierHandler =
  ({ lookups }: Parts): Handler<typeof resolveIdentifier> =>
  async ({ workspace_id, identifier }) => {
    const parsed = parseIdentifier(identifier);
    const card_id = parsed && (await lookups.submit({ workspace_id, ...parsed }));
    if (!card_id) throw notFound('Card');
    return { card_id };
  };
