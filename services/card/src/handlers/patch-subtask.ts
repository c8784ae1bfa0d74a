import { type patchSubtask as contract, type PatchSubtaskBody, subtask } from '@cardinal/contracts';
import { checkPlaced, completedAt, placeOfSubtask, recount } from '../domain/subtask.ts';
import type { Handler, Parts } from '../parts.ts';
import type { Tx } from '../store/database.ts';
import { linkBoardsSeen } from '../store/linked-files.ts';
import { positionAt } from '../store/positions.ts';
import { type SubtaskRow, saveSubtask, toSubtask } from '../store/subtasks.ts';
import { storeChanges } from '../writing/store-changes.ts';
import { subtaskTarget } from '../writing/subtask.ts';
import { nextState } from '../writing/versioned.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Renames, completes or moves a subtask; the card changes only by what it counts. */
export const patchSubtask =
  (parts: Parts): Handler<typeof contract> =>
  ({ body, ...request }) =>
    writeOnCard(parts, {
      request,
      target: subtaskTarget(request),
      resource: subtask,
      write: async ({ card, row }, tx, now) => {
        const changes = {
          title: body.title,
          completed_at: completedAt(row.completed_at, body.completed, now),
          position: await move(tx, row, body),
        };
        const next = nextState(row, changes, now);
        if (next !== row) await saveSubtask(tx, next);
        await storeChanges(tx, card, recount(card, row, next), now);
        return toSubtask(next, await linkBoardsSeen(tx, request, [next]));
      },
    });

async function move(tx: Tx, row: SubtaskRow, body: PatchSubtaskBody): Promise<number> {
  const place = placeOfSubtask(body, row.id);
  if (place === undefined) return row.position;
  const list = { of: 'subtasks', workspaceId: row.workspace_id, parentId: row.card_id } as const;
  return checkPlaced(body, await positionAt(tx, list, place, row));
}
