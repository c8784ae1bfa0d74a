import { findSubtask, notFound, type putLinkedFile } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import { toFile } from '../domain/file.ts';
import { requireClean } from '../domain/readiness.ts';
import type { Parts } from '../parts.ts';
import { lockLiving } from '../store/card-lock.ts';
import { getFile, shareFile } from '../store/files.ts';
import { setLinkedFile } from '../store/linked-files.ts';
import { linkEvent } from '../writing/events.ts';
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
    requireBoard(board_deleted);
    await sight.requireFile(request, await db.read((tx) => getFile(tx, workspace_id, file_id)));
    const moment = now();
    const { file, told } = await db.transaction(async (tx) => {
      if (!(await lockLiving(tx, workspace_id, { cardId: card_id, subtaskId: subtask_id }))) throw notFound('Subtask');
      const current = await shareFile(tx, workspace_id, file_id);
      if (!current) throw notFound('File');
      requireClean(current);
      const asked = { workspaceId: workspace_id, subtaskId: subtask_id, cardId: card_id, fileId: file_id };
      const { link, changed } = await setLinkedFile(tx, asked);
      const events = link ? [linkEvent(workspace_id, link, current, moment)] : [];
      if (changed) await appendEvents(tx, events);
      return { file: current, told: events };
    });
    // Also where it was there before: whoever made it may not have been answered yet, or never will be.
    await announce(told);
    return toFile(file);
  };
