import { conflict, type restoreCard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { firstPosition } from '../positions/queries.ts';
import type { LockedCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { lockReturn, type Return } from '../store/return.ts';
import type { Decide, EditCard } from '../writing/edit-card.ts';
import { Outdated } from '../writing/outdated.ts';
import type { Changes } from '../writing/store-changes.ts';
import { writeCard } from '../writing/write-card.ts';

/**
 * Brings an archived card back to its place; where its column is archived, to the start of the first active column
 * (specification, "States and transitions"). An active card stays as it is.
 */
export const restoreCard =
  (parts: Parts, editCard: EditCard): Handler<typeof contract> =>
  async (request) => {
    try {
      return await editCard(request, stay);
    } catch (error) {
      if (!(error instanceof MustMove)) throw error;
    }
    let found: Return | undefined;
    return writeCard(parts, {
      request,
      lockBefore: async (tx) => {
        found = await lockReturn(tx, request.workspace_id, request.card_id);
      },
      change: (card, tx) => (card.archived_at ? restore(tx, card, found) : {}),
    });
  };

/** The card's column is archived. */
class MustMove extends Error {}

const stay: Decide = (card) => {
  if (card.archived_at && card.column_archived_at) throw new MustMove();
  return { fields: card.archived_at ? { archived_at: null } : {}, target: null };
};

async function restore(tx: Tx, card: LockedCard, found: Return | undefined): Promise<Changes> {
  // The card has changed its column, or the columns their states, since they were looked at.
  if (!found || found.from !== card.column_id || found.to?.archived_at) throw new Outdated();
  if (!found.to) throw conflict('The board has no active column');
  if (found.to.id === card.column_id) return { archived_at: null };
  const list = { of: 'cards', workspaceId: card.workspace_id, parentId: found.to.id } as const;
  const position = await firstPosition(tx, list, card.id);
  return { archived_at: null, column_id: found.to.id, position };
}
