import { deleteSubtask as contract } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { subtaskGone } from '../domain/events.ts';
import { recount } from '../domain/subtask.ts';
import type { Handler, Parts } from '../parts.ts';
import { deleteSubtaskRow } from '../store/subtasks.ts';
import { occasion } from '../writing/occasion.ts';
import { storeChanges } from '../writing/store-changes.ts';
import { subtaskTarget } from '../writing/subtask.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Deletes a subtask; the card no longer counts it. */
export const deleteSubtask =
  (parts: Parts): Handler<typeof contract> =>
  async (request) => {
    const { resource } = await writeOnCard(parts, {
      request,
      target: subtaskTarget(request),
      resource: contract.reply,
      replayFirst: true,
      write: async ({ card, row }, tx, now) => {
        await deleteSubtaskRow(tx, row);
        await appendEvents(tx, [subtaskGone(row, occasion(row.workspace_id, now))]);
        await storeChanges(tx, card, recount(card, row, undefined), now);
        return { deleted: true } as const;
      },
    });
    return resource;
  };
