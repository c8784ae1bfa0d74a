import { formatIdentifier, type WorkstreamSummary } from '@cardinal/contracts';
import { type StoredCard, toCard } from '../store/card-rows.ts';
import type { Tx } from '../store/database.ts';
import { insertRows } from '../store/insert-rows.ts';
import type { CreatePayload } from '../store/operations/operation.ts';
import { lockColumns, topPositions } from '../store/positions.ts';
import type { Allocated, Committed } from './allocated.ts';

/** Makes the cards of pending, locked operations, each above all others of its column. */
export const commitCreates = async (
  tx: Tx,
  workspaceId: string,
  creates: readonly Allocated<CreatePayload>[],
  workstreams: ReadonlyMap<string, WorkstreamSummary>,
  now: Date,
): Promise<Committed[]> => {
  if (creates.length === 0) return [];
  const columnIds = creates.map(({ operation }) => operation.payload.column_id);
  await lockColumns(tx, workspaceId, [...new Set(columnIds)]);
  const positions = await topPositions(tx, workspaceId, columnIds);
  const rows = creates.map((create, index) => toRow(create, positions[index] as number, now));
  await insertRows(tx, 'cards', rows);
  return creates.map(({ operation, workstream }, index) => {
    const { name, prefix } = workstreams.get(workstream.id) ?? workstream;
    const row = rows[index] as StoredCard;
    return { operation, card: toCard({ ...row, workstream_name: name, workstream_prefix: prefix }) };
  });
};

const toRow = (
  { operation, number, workstream }: Allocated<CreatePayload>,
  position: number,
  now: Date,
): StoredCard => {
  const { user_id, board_id, column_id, fields } = operation.payload;
  return {
    workspace_id: operation.workspace_id,
    id: operation.card_id,
    version: 1,
    board_id,
    column_id,
    position,
    title: fields.title,
    description: fields.description ?? null,
    due_date: fields.due_date ? new Date(fields.due_date) : null,
    priority: fields.priority ?? null,
    completed_at: null,
    archived_at: null,
    created_by: user_id,
    created_at: now,
    updated_at: now,
    assignee_user_ids: [],
    label_ids: [],
    subtask_total: 0,
    subtask_completed: 0,
    comment_count: 0,
    workstream_id: workstream.id,
    identifier: formatIdentifier(workstream.prefix, number),
  };
};
