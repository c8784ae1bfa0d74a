import { type CardinalError, type createCard, notFound } from '@cardinal/contracts';
import { type Claim, claimCommands, releaseCommands } from '@cardinal/db';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { checkTakesCards, filedUnder } from '../domain/creation.ts';
import { type ColumnWithBoard, selectColumnsWithBoards } from '../store/columns-with-boards.ts';
import type { Tx } from '../store/database.ts';
import { insertOperations } from '../store/operations/insert-operations.ts';
import type { CreatePayload, Operation } from '../store/operations/operation.ts';
import { Busy } from './busy.ts';

/** A request for a card, with the id that its log lines carry. */
export interface CreateRequest extends z.output<typeof createCard.request> {
  request_id: string;
}

/** A create that has begun, or the stored answer to one that ended. */
export type PreparedCreate = { operation: Operation<CreatePayload> } | { replay: unknown };

/**
 * Step 1 of the protocol for cards to make: all that could refuse them is checked here, so that nothing is refused once
 * a number is taken.
 * @param requests of one workspace
 * @returns one entry for each, in order; CardinalErrors `not_found`, `conflict`, `idempotency_key_reused`, or `Busy`
 *   where an equal request is under way
 */
export const prepareCreates = async (
  tx: Tx,
  requests: readonly CreateRequest[],
  now: Date,
): Promise<(PreparedCreate | Error)[]> => {
  const workspaceId = requests[0]?.workspace_id ?? '';
  const columnIds = [...new Set(requests.map((request) => request.column_id))];
  const userIds = [...new Set(requests.map((request) => request.user_id))];
  const found = await selectColumnsWithBoards(tx, workspaceId, columnIds, userIds);
  const columnFor = ({ column_id, user_id }: CreateRequest) =>
    found.find((column) => column.id === column_id && column.seen_by.includes(user_id));
  const columns = new Map(requests.map((request) => [request, columnFor(request)]));

  const visible = requests.filter((request) => columns.get(request));
  const entries = await claimCommands(
    tx,
    visible.map(({ command }) => ({ workspaceId, ...command })),
    now,
  );
  const claims = new Map(visible.map((request, index) => [request, entries[index]]));

  const prepared = requests.map((request) => judge(request, columns.get(request), claims.get(request), now));
  await insertOperations(
    tx,
    prepared.flatMap((entry) => (entry instanceof Error || 'replay' in entry ? [] : [entry.operation])),
  );
  const isRefused = (request: CreateRequest, index: number) =>
    isClaimed(claims.get(request)) && prepared[index] instanceof Error;
  await releaseCommands(
    tx,
    requests.filter(isRefused).map((request) => ({ workspaceId, id: request.command.id })),
  );
  return prepared;
};

const isClaimed = (claim: Claim | CardinalError | undefined) =>
  claim !== undefined && 'state' in claim && claim.state === 'claimed';

const judge = (
  request: CreateRequest,
  column: ColumnWithBoard | undefined,
  claim: Claim | CardinalError | undefined,
  now: Date,
): PreparedCreate | Error => {
  if (!column || !claim) return notFound('Column');
  if (claim instanceof Error) return claim;
  if (claim.state === 'ended') return { replay: claim.response };
  if (claim.state === 'pending') {
    return new Busy({ workspaceId: request.workspace_id, key: { commandId: request.command.id } });
  }
  try {
    checkTakesCards(column);
  } catch (error) {
    return error as CardinalError;
  }
  return { operation: toOperation(request, column, now) };
};

const toOperation = (request: CreateRequest, column: ColumnWithBoard, now: Date): Operation<CreatePayload> => {
  const { workstream_id: named, ...fields } = request.body;
  return {
    workspace_id: request.workspace_id,
    id: v7(),
    command_id: request.command.id,
    card_id: v7(),
    state: 'pending',
    payload: {
      kind: 'create',
      user_id: request.user_id,
      request_id: request.request_id,
      ...filedUnder(named, column),
      board_id: column.board_id,
      column_id: column.id,
      fields,
    },
    card_version: null,
    assigned_at: null,
    created_at: now,
  };
};
