import { deleteCard as contract } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { deleted } from '../domain/events.ts';
import type { Handler, Parts } from '../parts.ts';
import { toCard } from '../store/card-rows.ts';
import { deleteCardRow } from '../store/cards.ts';
import { occasion } from '../writing/occasion.ts';
import { cardTarget } from '../writing/target.ts';
import { writeOnCard } from '../writing/write-card.ts';

/**
 * Deletes a card and what hangs on it for good. Its identifiers stay taken: the identifier service never gives a number
 * out twice.
 */
export const deleteCard =
  (parts: Parts): Handler<typeof contract> =>
  async (request) => {
    const { resource } = await writeOnCard(parts, {
      request,
      target: cardTarget(request),
      resource: contract.reply,
      replayFirst: true,
      write: async ({ card }, tx, now) => {
        await deleteCardRow(tx, card.workspace_id, card.id);
        await appendEvents(tx, [deleted(toCard(card), occasion(card.workspace_id, now))]);
        return { deleted: true } as const;
      },
    });
    return resource;
  };
