import type { Workstream } from '@cardinal/contracts';
import type { Selectable } from 'kysely';
import type { Workstreams } from './tables.gen.ts';

/** The columns that make up the resource; the counter is none of them. */
export const workstreamColumns = [
  'workspace_id',
  'id',
  'version',
  'name',
  'prefix',
  'description',
  'is_default',
  'archived_at',
  'created_at',
  'updated_at',
] as const;

export type WorkstreamRow = Pick<Selectable<Workstreams>, (typeof workstreamColumns)[number]>;

/** A row as the resource that clients know. */
export const toWorkstream = (row: WorkstreamRow): Workstream => ({
  id: row.id,
  type: 'workstream',
  version: row.version,
  name: row.name,
  prefix: row.prefix,
  description: row.description,
  is_default: row.is_default,
  archived_at: row.archived_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
