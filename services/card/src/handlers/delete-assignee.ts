import type { deleteAssignee as contract } from '@cardinal/contracts';
import { excluding } from '../cards/marks.ts';
import type { Handler, Parts } from '../parts.ts';
import { writeCard } from '../writing/write-card.ts';

/** Takes a user off a card, if the card is assigned to them. */
export const deleteAssignee =
  (parts: Parts): Handler<typeof contract> =>
  async ({ assignee_user_id, ...request }) => {
    const { resource } = await writeCard(parts, {
      request,
      change: (card) => ({ assignee_user_ids: excluding(card.assignee_user_ids, assignee_user_id) }),
    });
    return resource;
  };
