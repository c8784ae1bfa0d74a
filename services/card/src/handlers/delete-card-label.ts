import type { deleteCardLabel as contract } from '@cardinal/contracts';
import { excluding } from '../domain/marks.ts';
import type { Handler, Parts } from '../parts.ts';
import { writeCard } from '../writing/write-card.ts';

/** Takes a label off a card, if the card carries it. */
export const deleteCardLabel =
  (parts: Parts): Handler<typeof contract> =>
  async ({ label_id, ...request }) => {
    const { resource } = await writeCard(parts, {
      request,
      change: (card) => ({ label_ids: excluding(card.label_ids, label_id) }),
    });
    return resource;
  };
