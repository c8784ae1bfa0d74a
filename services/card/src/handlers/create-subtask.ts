import { type createSubtask as contract, subtask } from '@cardinal/contracts';
import { recount } from '../domain/subtask.ts';
import type { Handler, Parts } from '../parts.ts';
import { positionAt } from '../store/positions.ts';
import { insertSubtask, toSubtask } from '../store/subtasks.ts';
import { newRow } from '../writing/new-row.ts';
import { storeChanges } from '../writing/store-changes.ts';
import { cardTarget } from '../writing/target.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Makes a subtask, the last of its card, which counts it. */
export const createSubtask =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    writeOnCard(parts, {
      request,
      target: cardTarget(request),
      resource: subtask,
      write: async ({ card }, tx) => {
        const { workspace_id, body } = request;
        const made = newRow();
        const list = { of: 'subtasks', workspaceId: workspace_id, parentId: card.id } as const;
        const position = await positionAt(tx, list, 'end', { id: made.id, position: undefined });
        if (position === undefined) throw new Error('A list always has an end');
        const row = await insertSubtask(tx, { ...made, ...body, workspace_id, card_id: card.id, position });
        await storeChanges(tx, card, recount(card, undefined, row), row.created_at);
        return toSubtask(row);
      },
    });
