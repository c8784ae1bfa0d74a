import type { listLabels as contract } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { listLabels as read, toLabel } from '../store/labels.ts';

/** Lists the labels of a workspace in the order in which they were made. */
export const listLabels =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, page: asked }) => {
    const page = openPage(['labels', workspace_id], [sortKey.id], asked);
    const rows = await db.read((tx) => read(tx, workspace_id, page));
    return page.cut(rows, toLabel, (row) => [row.id]);
  };
