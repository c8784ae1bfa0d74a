import type { listFiles as contract } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { toFile } from '../domain/file.ts';
import type { Parts } from '../parts.ts';
import { boardsOfFiles, listFiles } from '../store/list-files.ts';

/**
 * Lists the files that the caller may see, oldest first. The card service is asked once about all boards that have
 * files, so that hidden files cost neither a question nor a query, however many they are.
 * @throws CardinalError `invalid_request` for a cursor of another list
 */
export const listFilesHandler =
  ({ db, sight }: Pick<Parts, 'db' | 'sight'>): DocumentHandler<typeof contract> =>
  async (request) => {
    const { workspace_id } = request;
    const page = openPage(['files', workspace_id], [sortKey.moment, sortKey.id], request.page);
    const boards = await sight.boards(request, await db.read((tx) => boardsOfFiles(tx, workspace_id)));
    const rows = await db.read((tx) => listFiles(tx, { workspaceId: workspace_id, boards, page }));
    return page.cut(rows, toFile, (row) => [row.created_at.toISOString(), row.id]);
  };
