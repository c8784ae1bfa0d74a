import type { Transaction } from '@cardinal/db';
import { sql } from 'kysely';
import type { Answered, RefusalReason } from '../domain/allocation.ts';
import type { DB } from './tables.gen.ts';

interface Row {
  workspace_id: string;
  operation_id: string;
  number: number | null;
  workstream_id: string | null;
  reason: RefusalReason | null;
}

/** The numbers and refusals that operations have already; those that have neither are left out. */
export const findAnswered = async (
  tx: Transaction<DB>,
  operations: { workspace_id: string; operation_id: string }[],
): Promise<Answered[]> => {
  const workspaceIds = operations.map((operation) => operation.workspace_id);
  const operationIds = operations.map((operation) => operation.operation_id);
  const { rows } = await sql<Row>`
    select workspace_id, operation_id, i.number, i.workstream_id, r.reason
    from unnest(${workspaceIds}::uuid[], ${operationIds}::uuid[]) as asked (workspace_id, operation_id)
    left join identifiers i using (workspace_id, operation_id)
    left join refusals r using (workspace_id, operation_id)
    where i.number is not null or r.reason is not null`.execute(tx);
  return rows.map(({ workspace_id, operation_id, number, workstream_id, reason }) =>
    number !== null && workstream_id !== null
      ? { workspace_id, operation_id, number, workstream_id }
      : { workspace_id, operation_id, reason: reason ?? 'not_found' },
  );
};
