import type { listFiles as contract } from '@cardinal/contracts';
import { decodeCursor, encodeCursor } from '@cardinal/db';
import { type StoredFile, toFile } from '../domain/file.ts';
import type { Handler, Parts } from '../parts.ts';
import { listFiles } from '../store/list-files.ts';

/**
 * Lists the files that the caller may see, oldest first.
 * @throws CardinalError `invalid_request` for a cursor of another list
 */
export const listFilesHandler =
  ({ db, sight }: Parts): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, page } = request;
    const scope = `files:${workspace_id}`;
    let after = page.cursor === undefined ? undefined : placeOf(decodeCursor(scope, page.cursor));
    // One more than asked for tells whether there is a next page.
    const limit = page.limit + 1;
    const seen: StoredFile[] = [];
    for (;;) {
      const found = await db.read((tx) => listFiles(tx, { workspaceId: workspace_id, after, limit }));
      const boards = await sight.boards(
        request,
        found.map((file) => file.board_id),
      );
      seen.push(...found.filter((file) => file.board_id === null || boards.has(file.board_id)));
      const last = found.at(-1);
      if (!last || found.length < limit || seen.length >= limit) break;
      after = { createdAt: last.created_at.toISOString(), id: last.id };
    }
    const items = seen.slice(0, page.limit);
    const last = items.at(-1);
    const next =
      last && seen.length > page.limit ? encodeCursor(scope, [last.created_at.toISOString(), last.id]) : null;
    return { items: items.map(toFile), next_cursor: next };
  };

const placeOf = ([createdAt, id]: unknown[]) => ({ createdAt: String(createdAt), id: String(id) });
