import type { deleteLabel as contract } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { updated } from '../domain/events.ts';
import type { Handler, Parts } from '../parts.ts';
import type { Tx } from '../store/database.ts';
import { lockLabelled, takeLabelOff } from '../store/labelled-cards.ts';
import { deleteLabelRow, type LabelRow, lockLabelToDelete } from '../store/labels.ts';
import { occasion } from '../writing/occasion.ts';
import { deleteVersioned } from '../writing/versioned.ts';

/** Deletes a label; the cards that carried it lose it, archived ones and those of deleted boards too. */
export const deleteLabel =
  ({ db, relay }: Pick<Parts, 'db' | 'relay'>): Handler<typeof contract> =>
  async (request) => {
    const done = await deleteVersioned(db, request, {
      what: 'Label',
      lock: (tx) => lockLabelToDelete(tx, request.workspace_id, request.label_id),
      remove,
    });
    relay.nudge();
    return done;
  };

async function remove(tx: Tx, label: LabelRow): Promise<void> {
  const workspaceId = label.workspace_id;
  const cardIds = await lockLabelled(tx, workspaceId, label.id);
  const now = new Date();
  const cards = await takeLabelOff(tx, workspaceId, cardIds, label.id, now);
  await appendEvents(
    tx,
    cards.map((card) => updated(card, occasion(workspaceId, now))),
  );
  await deleteLabelRow(tx, label);
}
