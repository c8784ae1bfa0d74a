import * as contracts from '@cardinal/contracts';
import { type Caller, notFound, type PatchSubtaskBody, requireFound, type Subtask } from '@cardinal/contracts';
import { appendEvents, newEvent, resourceOf } from '@cardinal/db';
import { openPage } from '@cardinal/runtime';
import { NIL } from 'uuid';
import { cardTarget, onCardTarget, storeChanges, writeOnCard } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { positionOf, spotOf } from '../domain/list-cursor.ts';
import { lastPosition, positionAt } from '../positions/queries.ts';
import { newRow, type RowOf, readPageAfter, rowsOf } from '../rows.ts';
import { cardsWithBoards } from '../store/card-rows.ts';
import { spotKeys } from '../store/cursor-state.ts';
import type { Tx } from '../store/database.ts';
import { boardVisibleTo, seesCard } from '../store/visibility.ts';
import { type KeptLink, linkBoardsSeen } from './linked-files.ts';
import { checkPlaced, completedAt, placeOfSubtask, recount } from './rules.ts';

type SubtaskRow = RowOf<'subtasks'>;
const subtasks = rowsOf('subtasks');
const present = resourceOf(contracts.subtask);

/** Subtasks of cards, which count them. */
export const serveSubtasks = (context: ServiceContext): void => {
  const { bus, db } = context;

  /** The last of its card. */
  bus.serve(contracts.createSubtask, (request) =>
    writeOnCard(context, request, {
      ...cardTarget(request),
      write: async (tx, { card }) => {
        const { workspace_id, body } = request;
        const made = newRow();
        const position = await lastPosition(
          tx,
          { of: 'subtasks', workspaceId: workspace_id, parentId: card.id },
          made.id,
        );
        const row = await subtasks.insert(tx, { ...made, ...body, workspace_id, card_id: card.id, position });
        await storeChanges(tx, card, recount(card, undefined, row), row.created_at);
        return toSubtask(row);
      },
    }),
  );

  /** Also on a card of a deleted board. What is hidden takes the queries that the unknown takes. */
  bus.serve(contracts.getSubtask, ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const found = await subtasks.find(tx, caller.workspace_id, subtask_id);
      const isSeen = await seesCard(tx, caller, found?.card_id ?? NIL);
      const subtask = requireFound('Subtask', isSeen ? found : undefined);
      return toSubtask(subtask, await linkBoardsSeen(tx, caller, [subtask]));
    }),
  );

  /** In the order of their positions. */
  bus.serve(contracts.listSubtasks, async ({ card_id, page: asked, ...caller }) => {
    const { workspace_id } = caller;
    const page = openPage(['subtasks', workspace_id, card_id], spotKeys, asked);
    const { rows, seen } = await db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      const last = page.after && spotOf(page.after);
      const now = last && (await subtasks.find(tx, workspace_id, last.id));
      // A cursor that somebody made up may name a subtask of another card.
      const after = last && positionOf(last, now?.card_id === card_id ? now : undefined);
      const ofCard = tx.selectFrom('subtasks').selectAll().where('workspace_id', '=', workspace_id);
      const rows = await readPageAfter(tx, ofCard.where('card_id', '=', card_id), 'position', {
        limit: page.limit,
        after,
      });
      return { rows, seen: await linkBoardsSeen(tx, caller, rows) };
    });
    return page.cut(
      rows,
      (row) => toSubtask(row, seen),
      (row) => [row.id, row.position, row.version],
    );
  });

  /** Renames, completes or moves it; the card changes only by what it counts. */
  bus.serve(contracts.patchSubtask, ({ body, ...request }) =>
    writeOnCard(context, request, {
      ...subtaskTarget(request),
      write: async (tx, { card, row }, now) => {
        const changes = {
          title: body.title,
          completed_at: completedAt(row.completed_at, body.completed, now),
          position: await move(tx, row, body),
        };
        const next = await subtasks.update(tx, row, changes, now);
        await storeChanges(tx, card, recount(card, row, next), now);
        return toSubtask(next, await linkBoardsSeen(tx, request, [next]));
      },
    }),
  );

  bus.serve(contracts.deleteSubtask, async (request) => {
    const { resource } = await writeOnCard(context, request, {
      ...subtaskTarget(request),
      deletes: true,
      write: async (tx, { card, row }, now) => {
        await subtasks.remove(tx, row);
        const { workspace_id: workspaceId, id, version, card_id } = row;
        const aggregate = { id, version: version + 1 };
        const event = newEvent(contracts.subtaskDeleted, { workspaceId, aggregate, data: { card_id }, now });
        await appendEvents(tx, [event]);
        await storeChanges(tx, card, recount(card, row, undefined), now);
        return { deleted: true } as const;
      },
    });
    return resource;
  });

  /** Tells the attachment service which card a subtask is on. */
  bus.serve(contracts.findSubtask, ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const subtask = await subtasks.find(tx, caller.workspace_id, subtask_id);
      const card = await cardsWithBoards(tx)
        .clearSelect()
        .select('boards.deleted_at')
        .where('cards.workspace_id', '=', caller.workspace_id)
        .where('cards.id', '=', subtask?.card_id ?? NIL)
        .where(boardVisibleTo(caller.user_id))
        .executeTakeFirst();
      if (!subtask || !card) throw notFound('Subtask');
      return { subtask_id, card_id: subtask.card_id, board_deleted: card.deleted_at !== null };
    }),
  );
};

const subtaskTarget = (request: Caller & { subtask_id: string }) =>
  onCardTarget('Subtask', request, (tx) => subtasks.find(tx, request.workspace_id, request.subtask_id));

const move = async (tx: Tx, row: SubtaskRow, body: PatchSubtaskBody): Promise<number> => {
  const place = placeOfSubtask(body, row.id);
  if (place === undefined) return row.position;
  const list = { of: 'subtasks', workspaceId: row.workspace_id, parentId: row.card_id } as const;
  return checkPlaced(body, await positionAt(tx, list, place, row));
};

/**
 * The subtask as clients see it.
 * @param seen boards that the caller sees: a linked file of another one is not shown
 */
const toSubtask = (row: SubtaskRow, seen: ReadonlySet<string> = new Set()): Subtask => {
  const link = row.linked_file as KeptLink;
  const isSeen = link && (link.board_id === null || seen.has(link.board_id));
  return present({ ...row, linked_file: isSeen ? { id: link.id, name: link.name } : null });
};
