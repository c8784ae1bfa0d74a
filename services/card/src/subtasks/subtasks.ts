import * as contracts from '@cardinal/contracts';
import { type Caller, type PatchSubtaskBody, requireFound, type Subtask } from '@cardinal/contracts';
import { newInternalEvent, newRow, resourceOf } from '@cardinal/db';
import { openPage } from '@cardinal/runtime';
import { runDelete, runWrite } from '@cardinal/service';
import { findCardBoard, requireOnCard } from '../cards/queries.ts';
import { cardTarget, onCard, onCardTarget, storeChanges } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { type RowOf, subtasks, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { lastPosition, positionAt, positionKeys, positionOf, readPageByPosition } from '../positions/queries.ts';
import { anchorOf, placeRefused } from '../positions/rules.ts';
import { linkBoardsSeen, type StoredLink } from './linked-files.ts';

type SubtaskRow = RowOf<'subtasks'>;
const present = resourceOf(contracts.subtask);

/** Serves the requests on subtasks (CONTRACT 6.6). A card counts its subtasks. */
export const serveSubtasks = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createSubtask, (request) =>
    runWrite(context, request, {
      ...cardTarget(request),
      write: async (tx, { card }) => {
        const { workspace_id, body } = request;
        const made = newRow();
        const position = await lastPosition(tx, listOf(workspace_id, card.id), made.id);
        const row = await subtasks.insert(tx, { ...made, ...body, workspace_id, card_id: card.id, position });
        await storeChanges(tx, card, recount(card, undefined, row), row.created_at);
        return toSubtask(row);
      },
      event: ({ card }, data, now) => eventOf('subtask.created', request, now, { ...onCard(card), data }),
    }),
  );

  /** Reads a subtask, also on a card of a deleted board. */
  bus.serve(contracts.getSubtask, ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const found = await subtasks.find(tx, caller.workspace_id, subtask_id);
      const { row } = await requireOnCard(tx, 'Subtask', caller, found);
      return toSubtask(row, await linkBoardsSeen(tx, caller, [row]));
    }),
  );

  bus.serve(contracts.listSubtasks, async ({ card_id, page: asked, ...caller }) => {
    const { workspace_id } = caller;
    const page = openPage(['subtasks', workspace_id, card_id], positionKeys, asked);
    const { rows, seen } = await db.read(async (tx) => {
      requireFound('Card', await findCardBoard(tx, caller, card_id));
      const rows = await readPageByPosition(tx, subtasks.in(tx, workspace_id).where('card_id', '=', card_id), page);
      return { rows, seen: await linkBoardsSeen(tx, caller, rows) };
    });
    return page.cut(rows, (row) => toSubtask(row, seen), positionOf);
  });

  /** Renames, completes or moves a subtask. The card changes only where its counts change. */
  bus.serve(contracts.patchSubtask, ({ body, ...request }) =>
    runWrite(context, request, {
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
      event: ({ card, row }, next, now) => {
        const before = asOnBoard(row, card);
        const data = { ...next, linked_file: before.linked_file };
        return eventOf('subtask.updated', request, now, { ...onCard(card), before, data });
      },
    }),
  );

  bus.serve(contracts.deleteSubtask, (request) =>
    runDelete(context, request, {
      ...subtaskTarget(request),
      write: async (tx, { card, row }, now) => {
        await subtasks.remove(tx, row);
        await storeChanges(tx, card, recount(card, row, undefined), now);
      },
      event: ({ card, row }, _gone, now) => {
        const { workspace_id: workspaceId, id, version, card_id } = row;
        const aggregate = { id, version: version + 1 };
        return {
          ...eventOf('subtask.deleted', request, now, { ...onCard(card), before: asOnBoard(row, card) }),
          internal: [newInternalEvent(contracts.subtaskDeleted, { workspaceId, aggregate, data: { card_id }, now })],
        };
      },
    }),
  );

  /** Finds the card of a subtask, for the attachment service. */
  bus.serve(contracts.findSubtask, ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const found = await subtasks.find(tx, caller.workspace_id, subtask_id);
      const { row, isBoardDeleted } = await requireOnCard(tx, 'Subtask', caller, found);
      return { subtask_id, card_id: row.card_id, board_deleted: isBoardDeleted };
    }),
  );
};

const listOf = (workspaceId: string, parentId: string) => ({ of: 'subtasks', workspaceId, parentId }) as const;

const subtaskTarget = (request: Caller & { subtask_id: string }) =>
  onCardTarget('Subtask', request, (tx) => subtasks.find(tx, request.workspace_id, request.subtask_id));

/** A card's counts of its subtasks. */
interface SubtaskCounts {
  subtask_total: number;
  subtask_completed: number;
}

type Countable = { completed_at: Date | null } | undefined;

/**
 * Computes a card's counts after the change of a subtask.
 * @param before the subtask before the change; undefined for a new one
 * @param after the subtask after the change; undefined for a deleted one
 */
const recount = (counts: SubtaskCounts, before: Countable, after: Countable): SubtaskCounts => ({
  subtask_total: counts.subtask_total + Number(after !== undefined) - Number(before !== undefined),
  subtask_completed: counts.subtask_completed + Number(isCompleted(after)) - Number(isCompleted(before)),
});

const isCompleted = (subtask: Countable) => subtask !== undefined && subtask.completed_at !== null;

/**
 * Computes the time of completion after a write. A subtask that is completed already keeps its time.
 * @param completed the requested state; undefined where the write leaves it
 */
const completedAt = (current: Date | null, completed: boolean | undefined, now: Date): Date | null => {
  if (completed === undefined) return current;
  return completed ? (current ?? now) : null;
};

/**
 * Finds the position of a subtask on its card after a write, by the rules for cards (CONTRACT 5.5). Without a place in
 * the body, the subtask keeps its position.
 * @throws CardinalError `validation_error` for an anchor that is the subtask itself or not on the card
 */
const move = async (tx: Tx, row: SubtaskRow, body: PatchSubtaskBody): Promise<number> => {
  const anchor = anchorOf(body, 'subtask');
  if (anchor?.id === row.id) throw placeRefused(anchor.field, 'must be another subtask');
  const place = anchor?.place ?? body.position;
  if (place === undefined) return row.position;
  const position = await positionAt(tx, listOf(row.workspace_id, row.card_id), place, row);
  if (position === undefined) throw placeRefused(anchor?.field ?? 'position', 'must be a subtask of the same card');
  return position;
};

/**
 * Makes the subtask of an answer.
 * @param seen the boards that the caller sees; linked files of other boards are left out
 */
const toSubtask = (row: SubtaskRow, seen: ReadonlySet<string> = new Set()): Subtask => {
  const link = row.linked_file as StoredLink;
  const isSeen = link && (link.board_id === null || seen.has(link.board_id));
  return present({ ...row, linked_file: isSeen ? { id: link.id, name: link.name } : null });
};

/**
 * Makes the subtask of an event. Some readers of its card may not see other boards, so linked files of other boards are
 * left out.
 */
const asOnBoard = (row: SubtaskRow, { board_id }: { board_id: string }): Subtask => toSubtask(row, new Set([board_id]));
