import { type listLabels as contract, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { listLabels as read, toLabel } from '../store/labels.ts';
import { pageOf, readCursor } from '../store/page.ts';

const place = z.tuple([uuid]);

/** Lists the labels of a workspace in the order in which they were made. */
export const listLabels =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, page: { limit, cursor } }) => {
    const scope = ['labels', workspace_id] as const;
    const [afterId] = readCursor(scope, cursor, place) ?? [];
    const rows = await db.read((tx) => read(tx, workspace_id, { afterId, limit: limit + 1 }));
    return pageOf(scope, rows, { limit, present: toLabel, cursorOf: (row) => [row.id] });
  };
