import type { listWorkstreams as contract } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { listWorkstreams } from '../store/list-workstreams.ts';
import { toWorkstream } from '../store/workstream-row.ts';

/**
 * Lists a workspace's active workstreams, or its archived ones, in the order of their making.
 * @throws CardinalError `invalid_request` for a cursor of another list
 */
export const listWorkstreamsHandler =
  ({ db, mains }: Parts): Handler<typeof contract> =>
  async ({ workspace_id, archived, page: asked }) => {
    const page = openPage(['workstreams', workspace_id, archived], [sortKey.moment, sortKey.id], asked);
    await mains.idOf(workspace_id);
    const found = await db.read((tx) => listWorkstreams(tx, { workspaceId: workspace_id, archived, page }));
    return page.cut(found, toWorkstream, (row) => [row.created_at.toISOString(), row.id]);
  };
