import * as contracts from '@cardinal/contracts';
import { notFound } from '@cardinal/contracts';
import { answerCommand, appendChanges, changeOf, findCommand, replayOf } from '@cardinal/db';
import { enqueue } from '@cardinal/jobs';
import { openPage, sortKey } from '@cardinal/runtime';
import { type DocumentHandler, runCreate } from '@cardinal/service';
import { v7 } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { clearLinksOf, handOver } from '../linked-files/linked-files.ts';
import { uploadTarget } from '../uploads/collect.ts';
import { collecting } from '../uploads/receive.ts';
import { requireClean, requireFile } from './access.ts';
import { detailsOfFile } from './changes.ts';
import { boardsOfFiles, jobOf, readFiles, requireQuota, toFile } from './queries.ts';
import { requestRemoval } from './removals.ts';

const deleted = { deleted: true } as const;

/** Serves files without their bytes, which go by transfers. */
export const serveFiles = (context: ServiceContext): void => {
  const { bus, db, feed, visibility, removals, urls, config, now } = context;

  /** Creates a file and answers where its bytes go; `conflict` over a quota of the workspace. */
  bus.serve(contracts.createFile, async (request) => {
    const { workspace_id, user_id, body } = request;
    const { name, board_id } = body;
    if (board_id !== null && !(await visibility.boards(request, [board_id])).has(board_id)) throw notFound('Board');
    const id = v7();
    const moment = now();
    const expiresAt = new Date(moment.getTime() + config.UPLOAD_TTL_MS);
    const { upload, dueAt } = await uploadTarget(context, { workspace_id, id }, moment, expiresAt);
    return runCreate(
      context,
      request,
      async (tx) => {
        const row = {
          workspace_id,
          id,
          name,
          board_id,
          status: 'pending' as const,
          created_by: user_id,
          created_at: moment,
          updated_at: moment,
          upload_expires_at: expiresAt,
        };
        const file = await tx.insertInto('files').values(row).returningAll().executeTakeFirstOrThrow();
        await requireQuota(tx, workspace_id, config);
        await enqueue(tx, [{ ...jobOf(collecting, file), due_at: dueAt }], moment);
        return { ...toFile(file), upload };
      },
      ({ upload: _, ...file }) => detailsOfFile('file.created', request, file, { at: moment, data: file }),
    );
  });

  bus.serve(contracts.getFile, async (request) => toFile(await requireFile(context, request, request.file_id)));

  bus.serve(contracts.listFiles, (request) => listVisibleFiles(context, request));

  bus.serve(contracts.getFileContent, async (request) => {
    const { workspace_id, file_id } = request;
    requireClean(await requireFile(context, request, file_id));
    return { url: urls.content(workspace_id, file_id, now()) };
  });

  /** Removes its covers and links with it, and its bytes soon after. */
  bus.serve(contracts.deleteFile, async (request) => {
    const { workspace_id, file_id, command } = request;
    // The bus may repeat the request after the file is gone.
    const known = await db.read((tx) => findCommand(tx, workspace_id, command));
    if (known?.ended) return deleted;
    const file = await requireFile(context, request, file_id);
    const moment = now();
    const links = await db.transaction(async (tx) => {
      if (await replayOf(tx, request, moment)) return undefined;
      const found = tx.deleteFrom('files').where(({ and }) => and({ workspace_id, id: file_id }));
      if ((await found.executeTakeFirst()).numDeletedRows === 0n) throw notFound('File');
      await tx
        .deleteFrom('covers')
        .where(({ and }) => and({ workspace_id, file_id }))
        .execute();
      const links = await clearLinksOf(tx, workspace_id, file_id, moment);
      await requestRemoval(tx, file, moment);
      await answerCommand(tx, request, {}, moment);
      const gone = detailsOfFile('file.deleted', request, file, { at: moment, data: null });
      await appendChanges(tx, workspace_id, [changeOf(gone)], links);
      return links;
    });
    if (links) {
      removals.nudge();
      feed.nudge(workspace_id);
      await handOver(context, workspace_id, links);
    }
    return deleted;
  });
};

/**
 * Lists the files that the caller may see, oldest first. It asks the card service once about all boards that have
 * files, so hidden files cost neither a request nor a query, however many they are.
 */
export const listVisibleFiles = async (
  { db, visibility }: Pick<ServiceContext, 'db' | 'visibility'>,
  request: Parameters<DocumentHandler<typeof contracts.listFiles>>[0],
) => {
  const { workspace_id } = request;
  const page = openPage(['files', workspace_id], [sortKey.moment, sortKey.id], request.page);
  const boards = await visibility.boards(request, await db.read((tx) => boardsOfFiles(tx, workspace_id)));
  const rows = await db.read((tx) => readFiles(tx, workspace_id, boards, page));
  return page.cut(rows, toFile, (row) => [row.created_at.toISOString(), row.id]);
};
