import { findSubtask, notFound, type putLinkedFile } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { toFile } from '../domain/file.ts';
import { requireClean } from '../domain/readiness.ts';
import type { Handler, Parts } from '../parts.ts';
import { lockLiving } from '../store/card-lock.ts';
import { getFile, shareFile } from '../store/files.ts';
import { setLinkedFile } from '../store/linked-files.ts';
import { type LinkEvent, linkEvent } from '../writing/events.ts';
import { requireBoard } from '../writing/sight.ts';

/**
 * Links a file to a subtask in place of any other; where it is linked already, nothing changes.
 * @throws CardinalError `not_found` for subtask or file, `conflict` while the file is not checked or where the board is
 *   deleted, `validation_error` for a file that failed a check
 */
export const putLinkedFileHandler =
  ({ db, bus, sight, announce, now }: Parts): Handler<typeof putLinkedFile> =>
  async (request) => {
    const { workspace_id, user_id, subtask_id, file_id } = request;
    const { card_id, board_deleted } = await bus.call(findSubtask, { workspace_id, user_id, subtask_id });
    await sight.requireFile(request, await db.read((tx) => getFile(tx, workspace_id, file_id)));
    requireBoard(board_deleted);
    const moment = now();
    const events: LinkEvent[] = [];
    const file = await db.transaction(async (tx) => {
      if (!(await lockLiving(tx, workspace_id, { cardId: card_id, subtaskId: subtask_id }))) throw notFound('Subtask');
      const current = await shareFile(tx, workspace_id, file_id);
      if (!current) throw notFound('File');
      requireClean(current);
      const link = { workspaceId: workspace_id, subtaskId: subtask_id, cardId: card_id, fileId: file_id };
      const change = await setLinkedFile(tx, link);
      if (change) events.push(linkEvent(workspace_id, change, current, moment));
      await appendEvents(tx, events);
      return current;
    });
    await announce(events);
    return toFile(file);
  };
