import { type deleteLinkedFile, findSubtask } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import type { Parts } from '../parts.ts';
import { setLinkedFile } from '../store/linked-files.ts';
import { linkEvent } from '../writing/events.ts';
import { requireBoard } from '../writing/sight.ts';

/** Takes a subtask's link away, also where it has none. @throws CardinalError `not_found`, `conflict` */
export const deleteLinkedFileHandler =
  ({ db, bus, announce, now }: Parts): Handler<typeof deleteLinkedFile> =>
  async (request) => {
    const { workspace_id, user_id, subtask_id } = request;
    const { card_id, board_deleted } = await bus.call(findSubtask, { workspace_id, user_id, subtask_id });
    requireBoard(board_deleted);
    const moment = now();
    const told = await db.transaction(async (tx) => {
      const asked = { workspaceId: workspace_id, subtaskId: subtask_id, cardId: card_id, fileId: null };
      const { link, changed } = await setLinkedFile(tx, asked);
      const events = link ? [linkEvent(workspace_id, link, undefined, moment)] : [];
      if (changed) await appendEvents(tx, events);
      return events;
    });
    // Also where it was gone before: whoever took it away may not have been answered yet, or never will be.
    await announce(told);
    return { deleted: true };
  };
