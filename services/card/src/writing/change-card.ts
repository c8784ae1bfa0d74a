import { currentContext, failpoint } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { type Edits, edit } from '../domain/edit.ts';
import type { Parts } from '../parts.ts';
import type { LockedCard } from '../store/cards.ts';
import { insertOperations } from '../store/operations/insert-operations.ts';
import type { Operation, TransferPayload } from '../store/operations/operation.ts';
import { endWrite, openCard, type Write } from './open-card.ts';
import { storeChanges } from './store-changes.ts';
import { cardTarget } from './target.ts';
import { type CardOutcome, replayed } from './write-card.ts';

/** What a PATCH or a transfer asks for: fields to set, a workstream to go to, or both at once. */
export interface Wanted {
  edits: Edits;
  workstreamId: string | undefined;
}

/** A command on a card. */
export type CardCommand = Required<Write> & { card_id: string };

/**
 * Edits and transfers a card as one change. A card that stays in its workstream is edited in one transaction; a transfer
 * is prepared in it (step 1 of the protocol) and then driven to its end.
 */
export const changeCard = (
  { db, relay, allocation }: Parts,
  request: CardCommand,
  { edits, workstreamId }: Wanted,
): Promise<CardOutcome> =>
  allocation.helping(async () => {
    const begun = await db.transaction(async (tx): Promise<CardOutcome | Operation> => {
      const opened = await openCard(tx, request, cardTarget(request));
      if ('replay' in opened) return replayed(opened.replay);
      const { card } = opened;
      const now = new Date();
      if (workstreamId === undefined || workstreamId === card.workstream_id) {
        const resource = await storeChanges(tx, card, edit(card, edits, now), now);
        await endWrite(tx, request, resource, now);
        return { resource, replayed: false };
      }
      const operation = toOperation(request, card, { edits, workstreamId }, now);
      await insertOperations(tx, [operation]);
      return operation;
    });
    if ('replayed' in begun) {
      if (!begun.replayed) relay.nudge();
      return begun;
    }
    failpoint('after-prepare');
    const ended = await allocation.drive(begun);
    if ('refusal' in ended) throw ended.refusal;
    return { resource: ended.card, replayed: false };
  });

const toOperation = (
  { workspace_id, user_id, command }: CardCommand,
  card: LockedCard,
  { edits, workstreamId }: Wanted & { workstreamId: string },
  now: Date,
): Operation<TransferPayload> => ({
  workspace_id,
  id: v7(),
  command_id: command.id,
  card_id: card.id,
  state: 'pending',
  payload: {
    kind: 'transfer',
    user_id,
    request_id: currentContext()?.requestId ?? command.id,
    workstream_id: workstreamId,
    edits,
  },
  card_version: null,
  assigned_at: null,
  created_at: now,
});
