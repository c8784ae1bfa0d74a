import { type deleteLinkedFile, findSubtask } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { Handler, Parts } from '../parts.ts';
import { setLinkedFile } from '../store/linked-files.ts';
import { type LinkEvent, linkEvent } from '../writing/events.ts';
import { requireBoard } from '../writing/sight.ts';

/** Takes a subtask's link away, also where it has none. @throws CardinalError `not_found`, `conflict` */
export const deleteLinkedFileHandler =
  ({ db, bus, announce, now }: Parts): Handler<typeof deleteLinkedFile> =>
  async (request) => {
    const { workspace_id, user_id, subtask_id } = request;
    const { card_id, board_deleted } = await bus.call(findSubtask, { workspace_id, user_id, subtask_id });
    requireBoard(board_deleted);
    const moment = now();
    const events: LinkEvent[] = [];
    await db.transaction(async (tx) => {
      const link = { workspaceId: workspace_id, subtaskId: subtask_id, cardId: card_id, fileId: null };
      const change = await setLinkedFile(tx, link);
      if (change) events.push(linkEvent(workspace_id, change, undefined, moment));
      await appendEvents(tx, events);
    });
    await announce(events);
    return { deleted: true };
  };
