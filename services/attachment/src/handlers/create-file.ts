import { type createFile, getBoard } from '@cardinal/contracts';
import { runIdempotently } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import { v7 } from 'uuid';
import { newFile, toFile } from '../domain/file.ts';
import type { Parts } from '../parts.ts';
import { insertFile } from '../store/files.ts';
import { requireQuota } from '../store/usage.ts';

/**
 * Makes a file whose bytes are still to come, and says where to.
 * @throws CardinalError `not_found` for a board that the caller does not see, `conflict` over a quota of the workspace
 */
export const createFileHandler =
  ({ db, bus, uploads, limits, now }: Parts): Handler<typeof createFile> =>
  async (request) => {
    const { workspace_id, user_id, body } = request;
    if (body.board_id !== null) await bus.call(getBoard, { workspace_id, user_id, board_id: body.board_id });
    const moment = now();
    const file = newFile({
      id: v7(),
      workspaceId: workspace_id,
      userId: user_id,
      name: body.name,
      boardId: body.board_id,
      now: moment,
      uploadTtlMs: limits.uploadTtlMs,
    });
    const { upload, dueAt } = await uploads.targetOf(file);
    return db.transaction((tx) =>
      runIdempotently(tx, request, moment, async () => {
        await insertFile(tx, file, dueAt);
        await requireQuota(tx, workspace_id, limits);
        return { ...toFile(file), upload };
      }),
    );
  };
