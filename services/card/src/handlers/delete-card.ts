import type { deleteCard as contract } from '@cardinal/contracts';
import { appendEvents, endCommands } from '@cardinal/db';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { deleted } from '../domain/events.ts';
import type { Handler, Parts } from '../parts.ts';
import { toCard } from '../store/card-rows.ts';
import { deleteCardRow } from '../store/cards.ts';
import { openCard } from '../writing/open-card.ts';

const done = { deleted: true } as const;

/** Deletes a card for good. Its identifiers stay taken: the identifier service never gives a number out twice. */
export const deleteCard =
  ({ db, relay, allocation }: Parts): Handler<typeof contract> =>
  (request) =>
    allocation.helping(async () => {
      const { workspace_id: workspaceId, command } = request;
      await db.transaction(async (tx) => {
        const now = new Date();
        const opened = await openCard(tx, request, now, { replayFirst: true });
        if ('replay' in opened) return;
        await deleteCardRow(tx, workspaceId, opened.card.id);
        await endCommands(tx, [{ workspaceId, id: command.id, response: done }], now);
        const requestId = currentContext()?.requestId ?? command.id;
        await appendEvents(tx, [deleted(toCard(opened.card), { eventId: v7(), now, workspaceId, requestId })]);
      });
      relay.nudge();
      return done;
    });
