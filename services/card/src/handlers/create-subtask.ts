import { type createSubtask as contract, subtask } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { recount } from '../domain/subtask.ts';
import type { Handler, Parts } from '../parts.ts';
import { positionAt } from '../store/positions.ts';
import { insertSubtask, toSubtask } from '../store/subtasks.ts';
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
      write: async ({ card }, tx, now) => {
        const { workspace_id } = request;
        const id = v7();
        const list = { of: 'subtasks', workspaceId: workspace_id, parentId: card.id } as const;
        const position = await positionAt(tx, list, 'end', { id, position: undefined });
        if (position === undefined) throw new Error('A list always has an end');
        const row = await insertSubtask(tx, {
          ...request.body,
          workspace_id,
          id,
          version: 1,
          card_id: card.id,
          position,
          created_at: now,
          updated_at: now,
        });
        await storeChanges(tx, card, recount(card, undefined, row), now);
        return toSubtask(row);
      },
    });
