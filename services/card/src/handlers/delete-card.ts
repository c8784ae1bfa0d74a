import { cardDeleted, deleteCard as contract, projectCardDeleted } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { cardDeletedEvent } from '../cards/events.ts';
import type { Handler, Parts } from '../parts.ts';
import { deleteCardRow } from '../store/cards.ts';
import { cardTarget } from '../writing/target.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** The stored answer keeps the event too: whoever deleted the card may have died before telling of it. */
const stored = contract.reply.extend({ event: cardDeleted.schema.optional() });

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
      resource: stored,
      replayFirst: true,
      write: async ({ card }, tx, now) => {
        await deleteCardRow(tx, card.workspace_id, card.id);
        const event = cardDeletedEvent(card.workspace_id, card, now);
        await appendEvents(tx, [event]);
        return { deleted: true as const, event };
      },
    });
    // A dependency put next must not meet a cycle through the card. The attachment service needs no such word: before it
    // shows or writes a cover or a link it asks here whether card and subtask exist.
    if (resource.event) await parts.bus.tell(projectCardDeleted, resource.event);
    return { deleted: true };
  };
