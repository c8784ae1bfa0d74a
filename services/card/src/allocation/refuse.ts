import { type CardinalError, conflict, notFound } from '@cardinal/contracts';
import { releaseCommands } from '@cardinal/db';
import { deleteRefused } from '../store/operations/delete-operations.ts';
import type { Operation } from '../store/operations/operation.ts';
import type { Tools } from './tools.ts';

/**
 * Ends an operation that got no number: nothing of it stays, so its command may be tried again.
 * @returns the error for its writer (api-decisions, "Workstreams and identifiers")
 */
export const refuse = async (
  { db }: Pick<Tools, 'db'>,
  { workspace_id: workspaceId, id, command_id: commandId }: Operation,
  reason: 'not_found' | 'archived',
): Promise<CardinalError> => {
  await db.transaction(async (tx) => {
    // Whoever deletes the operation releases its claim; later the same command may be under way in a new operation.
    if (await deleteRefused(tx, workspaceId, id)) await releaseCommands(tx, [{ workspaceId, id: commandId }]);
  });
  return reason === 'not_found' ? notFound('Workstream') : conflict('The workstream is archived');
};
