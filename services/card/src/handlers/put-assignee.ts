import type { putAssignee as contract } from '@cardinal/contracts';
import { including } from '../cards/marks.ts';
import type { Handler, Parts } from '../parts.ts';
import { writeCard } from '../writing/write-card.ts';

/** Assigns a card to a user; one who has it already is not assigned twice. */
export const putAssignee =
  (parts: Parts): Handler<typeof contract> =>
  async ({ assignee_user_id, ...request }) => {
    const { resource } = await writeCard(parts, {
      request,
      change: (card) => ({ assignee_user_ids: including(card.assignee_user_ids, assignee_user_id, 'assignees') }),
    });
    return resource;
  };
