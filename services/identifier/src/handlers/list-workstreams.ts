import type { listWorkstreams as contract } from '@cardinal/contracts';
import { decodeCursor, encodeCursor } from '@cardinal/db';
import type { Handler, Parts } from '../parts.ts';
import { listWorkstreams } from '../store/list-workstreams.ts';

/**
 * Lists a workspace's active workstreams, or its archived ones, in the order of their making.
 * @throws CardinalError `invalid_request` for a cursor of another list
 */
export const listWorkstreamsHandler =
  ({ db, mains }: Parts): Handler<typeof contract> =>
  async ({ workspace_id, archived, page: { limit, cursor } }) => {
    await mains.idOf(workspace_id);
    const scope = `workstreams:${workspace_id}:${archived}`;
    const after = cursor === undefined ? undefined : placeOf(decodeCursor(scope, cursor));
    // One more than asked for tells whether there is a next page.
    const found = await db.read((tx) =>
      listWorkstreams(tx, { workspaceId: workspace_id, archived, limit: limit + 1, after }),
    );
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = last && found.length > limit ? encodeCursor(scope, [last.created_at, last.id]) : null;
    return { items, next_cursor: next };
  };

const placeOf = ([createdAt, id]: unknown[]) => ({ createdAt: String(createdAt), id: String(id) });
