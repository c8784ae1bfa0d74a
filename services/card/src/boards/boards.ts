import * as contracts from '@cardinal/contracts';
import { type Board, type Caller, CardinalError, conflict, type EventType, requireFound } from '@cardinal/contracts';
import { newRow, readPageRows, resourceOf } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { runCreate, runDelete, runWrite } from '@cardinal/service';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { boards, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { hasName, nameIn } from '../names.ts';
import { permitManaging } from './members.ts';
import {
  type BoardRow,
  boardsSeen,
  boardsWithoutMembers,
  findBoard,
  lockBoard,
  seeBoards,
  seenBoards,
} from './queries.ts';

const toBoard = resourceOf(contracts.board);

/** Serves the requests on boards (CONTRACT 6.1). `queries.ts` has the rule of visibility. */
export const serveBoards = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createBoard, async (request) => {
    const { workspace_id, user_id: created_by, body } = request;
    const refusal = await refuseDefaultWorkstream(context, request, body.default_workstream_id);
    return runCreate(
      context,
      request,
      async (tx) => {
        if (refusal) throw refusal;
        return toBoard(await boards.insert(tx, { ...newRow(), ...body, workspace_id, created_by }));
      },
      (board, now) => eventOf('board.created', request, now, { boardId: board.id, data: board }),
    );
  });

  bus.serve(contracts.getBoard, async ({ board_id, ...caller }) =>
    toBoard(requireFound('Board', await db.read((tx) => findBoard(tx, caller, board_id)))),
  );

  bus.serve(contracts.listBoards, async ({ archived, name, mine, is_admin, page: asked, ...caller }) => {
    if (mine && !is_admin)
      throw new CardinalError('insufficient_scope', 'Boards without members are listed with the scope kanban:admin');
    const scope = ['boards', caller.workspace_id, archived, ...nameIn(name), ...(mine ? [mine] : [])] as const;
    const page = openPage(scope, [sortKey.id], asked);
    const rows = await db.read((tx) => {
      const all = mine ? boardsWithoutMembers(tx, caller) : seenBoards(tx, caller);
      const wanted = all
        .where('archived_at', archived ? 'is not' : 'is', null)
        .$if(name !== undefined, (query) => query.where(hasName(name)));
      return readPageRows(tx, wanted, { by: ['id'], ...page });
    });
    return page.cut(rows, toBoard, (row) => [row.id]);
  });

  /** Filters the given boards by visibility to the caller, for services that store ids of boards. */
  bus.serve(contracts.filterBoards, async ({ board_ids, ...caller }) => ({
    board_ids: [...(await db.read((tx) => boardsSeen(tx, caller, board_ids)))],
  }));

  /** Finds the users that see each of the given boards, for streams and webhooks. */
  bus.serve(contracts.seeBoards, async ({ workspace_id, board_ids, user_ids }) => {
    const asked = [workspace_id, JSON.stringify(board_ids), JSON.stringify(user_ids)];
    return { boards: await db.read((tx) => seeBoards.run(tx, asked)) };
  });

  const locked = (request: BoardRequest) => ({
    what: 'Board',
    lock: (tx: Tx) => lockBoard(tx, request, request.board_id),
  });

  /**
   * Edits a board. An admin can change the visibility of a board that the admin does not see, and nothing else of it.
   * Otherwise nobody could reach a private board whose creator has left.
   */
  bus.serve(contracts.patchBoard, async (request) => {
    const { body } = request;
    const refusal = await refuseDefaultWorkstream(context, request, body.default_workstream_id);
    const isManaging = Object.keys(body).every((field) => field === 'visibility');
    return runWrite(context, request, {
      ...locked({ ...request, is_admin: request.is_admin && isManaging }),
      permit: async (tx, board) => {
        if ((body.visibility ?? board.visibility) !== board.visibility) await permitManaging(tx, request, board);
      },
      write: async (tx, board, now) => {
        if (refusal && body.default_workstream_id !== board.default_workstream_id) throw refusal;
        return toBoard(await boards.update(tx, board, body, now));
      },
      event: changed('board.updated', request),
    });
  });

  const setArchived = (
    type: 'board.archived' | 'board.restored',
    request: BoardRequest,
    archivedAt: (board: BoardRow, now: Date) => Date | null,
  ) =>
    runWrite(context, request, {
      ...locked(request),
      write: async (tx, board, now) =>
        toBoard(await boards.update(tx, board, { archived_at: archivedAt(board, now) }, now)),
      event: changed(type, request),
    });
  bus.serve(contracts.archiveBoard, (request) =>
    setArchived('board.archived', request, (board, now) => board.archived_at ?? now),
  );
  bus.serve(contracts.restoreBoard, (request) => setArchived('board.restored', request, () => null));

  /**
   * Deletes a board (CONTRACT 6.1). No list shows it any more. Clients still read its cards by id and by identifier,
   * but cannot write them.
   */
  bus.serve(contracts.deleteBoard, (request) =>
    runDelete(context, request, {
      ...locked(request),
      write: async (tx, board, now) => void (await boards.update(tx, board, { deleted_at: now }, now)),
      event: (board, _gone, now) =>
        eventOf('board.deleted', request, now, { boardId: board.id, before: toBoard(board) }),
    }),
  );
};

const changed = (type: EventType, by: Caller) => (board: BoardRow, data: Board, now: Date) =>
  eventOf(type, by, now, { boardId: board.id, before: toBoard(board), data });

type BoardRequest = z.output<typeof contracts.archiveBoard.request> & { is_admin?: boolean };

/**
 * Asks the identifier service whether a board can have a workstream as its default. The refusal is returned, not
 * thrown, because replay and precondition precede it in the order of checks (CONTRACT 1.5).
 * @param id null or undefined where the board has no default workstream
 * @returns the refusal: 404 for an unknown workstream, 409 for one that is archived or adopts, 503 where the identifier
 *   service does not answer; undefined where the workstream is allowed
 */
const refuseDefaultWorkstream = async (
  { bus }: ServiceContext,
  { workspace_id, user_id }: Caller,
  id: string | null | undefined,
): Promise<unknown> => {
  if (id === null || id === undefined) return undefined;
  const workstream = bus.call(contracts.getWorkstream, { workspace_id, user_id, workstream_id: id });
  return workstream.then(
    ({ archived_at, adopting }) => {
      if (archived_at) return conflict('The workstream is archived');
      return adopting ? conflict('The workstream adopts cards, and issues no number until it is opened') : undefined;
    },
    (error) => error,
  );
};
