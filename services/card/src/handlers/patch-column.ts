import type { patchColumn as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { positionAt } from '../store/positions.ts';
import { writeColumn } from '../writing/column.ts';

/** Renames a column or moves it within its board. */
export const patchColumn =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeColumn(db, request, async (column, _now, tx) => {
      const { name, position: place } = request.body;
      if (place === undefined) return { name };
      const list = { of: 'columns', workspaceId: column.workspace_id, parentId: column.board_id } as const;
      return { name, position: await positionAt(tx, list, place, column) };
    });
