import { type Card, type Confirmation, card as cardSchema, unavailable, type Workstream } from '@cardinal/contracts';
import { appendEvents, endCommands } from '@cardinal/db';
import { v7 } from 'uuid';
import { identifierIssued } from '../domain/events.ts';
import type { Tx } from '../store/database.ts';
import { lockPending } from '../store/operations/lock-pending.ts';
import { markCommitted } from '../store/operations/mark-committed.ts';
import { selectResponses } from '../store/responses.ts';
import { knowWorkstreams } from '../store/workstreams.ts';
import { type Allocated, type Committed, isCreate, isTransfer } from './allocated.ts';
import { commitCreates } from './commit-creates.ts';
import { commitTransfers } from './commit-transfers.ts';

/** What a batch of commits answers: a card for each member, in order, and what the identifier service has to hear. */
export interface CommitAnswers {
  cards: (Card | Error)[];
  toConfirm: Confirmation[];
}

/**
 * Step 3 of the protocol, the one commit point: cards, stored responses, events and the ends of operations together.
 * An operation that ended already gets its stored response.
 * @param batch of one workspace; an operation may occur more than once
 */
export const commit = async (tx: Tx, batch: readonly Allocated[], now: Date): Promise<CommitAnswers> => {
  const workspaceId = batch[0]?.operation.workspace_id ?? '';
  const members = [...new Map(batch.map((member) => [member.operation.id, member])).values()];
  const pending = await lockPending(
    tx,
    workspaceId,
    members.map(({ operation }) => operation.id),
  );
  const committed = await apply(
    tx,
    workspaceId,
    members.filter(({ operation }) => pending.has(operation.id)),
    now,
  );
  const endedBefore = members.filter(({ operation }) => !pending.has(operation.id));
  const responses = await selectResponses(
    tx,
    workspaceId,
    endedBefore.map(({ operation }) => operation.command_id),
  );

  const made = new Map(committed.map(({ operation, card }) => [operation.id, card]));
  return {
    cards: batch.map(({ operation }) => made.get(operation.id) ?? stored(responses.get(operation.command_id))),
    toConfirm: committed.map(({ operation, card }) => ({
      workspace_id: workspaceId,
      operation_id: operation.id,
      card_version: card.version,
      assigned_at: now.toISOString(),
    })),
  };
};

const stored = (response: unknown) =>
  response ? cardSchema.parse(response) : unavailable('The operation ended and its answer is no longer kept');

/** Writes what pending, locked operations make, and ends them. */
const apply = async (tx: Tx, workspaceId: string, allocated: readonly Allocated[], now: Date): Promise<Committed[]> => {
  if (allocated.length === 0) return [];
  const workstreams = await knowWorkstreams(tx, workspaceId, newestOfEach(allocated));
  // Columns are locked before cards, as everywhere.
  const created = await commitCreates(tx, workspaceId, allocated.filter(isCreate), workstreams, now);
  const transferred = await commitTransfers(tx, workspaceId, allocated.filter(isTransfer), workstreams, now);
  const committed = [...created, ...transferred];
  await endCommands(
    tx,
    committed.map(({ operation, card }) => ({ workspaceId, id: operation.command_id, response: card })),
    now,
  );
  await markCommitted(
    tx,
    workspaceId,
    committed.map(({ operation, card }) => ({ id: operation.id, cardVersion: card.version })),
    now,
  );
  await appendEvents(
    tx,
    committed.map(({ operation: { id, payload }, card }) =>
      identifierIssued(
        card,
        { id, kind: payload.kind },
        { eventId: v7(), now, workspaceId, requestId: payload.request_id },
      ),
    ),
  );
  return committed;
};

const newestOfEach = (allocated: readonly Allocated[]): Workstream[] => {
  const newest = new Map<string, Workstream>();
  for (const { workstream } of allocated) {
    if ((newest.get(workstream.id)?.version ?? 0) < workstream.version) newest.set(workstream.id, workstream);
  }
  return [...newest.values()];
};
