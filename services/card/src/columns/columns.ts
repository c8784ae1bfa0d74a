import * as contracts from '@cardinal/contracts';
import { type Caller, conflict, type EventType, requireFound } from '@cardinal/contracts';
import { countRows, newRow, resourceOf } from '@cardinal/db';
import { openPage } from '@cardinal/runtime';
import { runWrite } from '@cardinal/service';
import { NIL } from 'uuid';
import type { z } from 'zod';
import { findBoard, lockBoard } from '../boards/queries.ts';
import { checkRoom } from '../bounds.ts';
import type { ServiceContext } from '../context.ts';
import { columns, type Reader, type RowOf, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { hasName, nameIn } from '../names.ts';
import { lastPosition, positionAt, positionKeys, positionOf, readPageByPosition } from '../positions/queries.ts';

export type ColumnRow = RowOf<'columns'>;
const toColumn = resourceOf(contracts.column);

/** Serves the requests on columns of boards (CONTRACT 6.3). */
export const serveColumns = (context: ServiceContext): void => {
  const { bus, db } = context;

  /** Creates the last column of a board (CONTRACT 6.3). */
  bus.serve(contracts.createColumn, (request) => {
    const { workspace_id, board_id, body } = request;
    return runWrite(context, request, {
      what: 'Board',
      lock: (tx) => lockBoard(tx, request, board_id),
      write: async (tx, board) => {
        if (board.archived_at) throw conflict('The board is archived');
        checkRoom('columns on a board', await countRows(columnsOf(tx, workspace_id, board_id)));
        const made = newRow();
        const position = await lastPosition(tx, listOf(workspace_id, board_id), made.id);
        return toColumn(await columns.insert(tx, { ...made, ...body, workspace_id, board_id, position }));
      },
      event: (_board, data, now) => eventOf('column.created', request, now, { boardId: board_id, data }),
    });
  });

  /**
   * Reads a column, archived or not, unless its board is deleted. Hidden and unknown columns take the same queries, so
   * their timing does not differ.
   */
  bus.serve(contracts.getColumn, ({ column_id, ...caller }) =>
    db.read(async (tx) => {
      const column = await columns.find(tx, caller.workspace_id, column_id);
      const board = await findBoard(tx, caller, column?.board_id ?? NIL);
      return toColumn(requireFound('Column', board && column));
    }),
  );

  bus.serve(contracts.listColumns, async ({ workspace_id, user_id, board_id, archived, name, page: asked }) => {
    const page = openPage(['columns', workspace_id, board_id, archived, ...nameIn(name)], positionKeys, asked);
    const rows = await db.read(async (tx) => {
      requireFound('Board', await findBoard(tx, { workspace_id, user_id }, board_id));
      const all = columnsOf(tx, workspace_id, board_id);
      const wanted = all
        .where('archived_at', archived ? 'is not' : 'is', null)
        .$if(name !== undefined, (query) => query.where(hasName(name)));
      return readPageByPosition(tx, all, page, wanted);
    });
    return page.cut(rows, toColumn, positionOf);
  });

  const writeColumn = (type: EventType, request: ColumnRequest, change: Change) =>
    runWrite(context, request, {
      what: 'Column',
      lock: (tx) => lockColumn(tx, request, request.column_id),
      within: ({ board_id }) => board_id,
      write: async (tx, column, now) => toColumn(await columns.update(tx, column, await change(column, now, tx), now)),
      event: (column, data, now) =>
        eventOf(type, request, now, { boardId: column.board_id, before: toColumn(column), data }),
    });

  bus.serve(contracts.patchColumn, (request) =>
    writeColumn('column.updated', request, async (column, _now, tx) => {
      const { name, position: place } = request.body;
      if (place === undefined) return { name };
      return { name, position: await positionAt(tx, listOf(column.workspace_id, column.board_id), place, column) };
    }),
  );

  bus.serve(contracts.archiveColumn, (request) =>
    writeColumn('column.archived', request, (column, now) => ({ archived_at: column.archived_at ?? now })),
  );

  bus.serve(contracts.restoreColumn, (request) =>
    writeColumn('column.restored', request, () => ({ archived_at: null })),
  );
};

type ColumnRequest = z.output<typeof contracts.archiveColumn.request>;
type Changes = Parameters<typeof columns.update>[2];
type Change = (column: ColumnRow, now: Date, tx: Tx) => Changes | Promise<Changes>;

/**
 * Locks a column of a board that the caller sees. The lock on the board's row comes first, because it guards the order
 * of the columns. Hidden and unknown columns take the same queries.
 */
const lockColumn = async (tx: Tx, caller: Caller, id: string): Promise<ColumnRow | undefined> => {
  const found = await columns.find(tx, caller.workspace_id, id);
  if (!(await lockBoard(tx, caller, found?.board_id ?? NIL))) return undefined;
  return columns.lock(tx, caller.workspace_id, id);
};

const columnsOf = (tx: Reader, workspaceId: string, boardId: string) =>
  columns.in(tx, workspaceId).where('board_id', '=', boardId);

const listOf = (workspaceId: string, parentId: string) => ({ of: 'columns', workspaceId, parentId }) as const;

/** Finds the first active column of a board. @returns undefined where all columns are archived */
export const firstActiveColumn = (tx: Reader, workspaceId: string, boardId: string): Promise<ColumnRow | undefined> =>
  columnsOf(tx, workspaceId, boardId).where('archived_at', 'is', null).orderBy('position').limit(1).executeTakeFirst();
