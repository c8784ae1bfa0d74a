import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { type Kysely, sql } from 'kysely';
import type { DB } from './tables.gen.ts';
import { type WorkstreamRow, workstreamColumns } from './workstream-row.ts';

/** One page of a workspace's active or archived workstreams. */
export interface WorkstreamPage {
  workspaceId: string;
  archived: boolean;
  page: OpenPage<[createdAt: string, id: string]>;
}

/** Workstreams in the order of their making: the default one, made first of all, leads. */
export const listWorkstreams = (
  tx: Kysely<DB>,
  { workspaceId, archived, page: { limit, after } }: WorkstreamPage,
): Promise<WorkstreamRow[]> =>
  readPageRows(
    tx,
    tx
      .selectFrom('workstreams')
      .select(workstreamColumns)
      .where('workspace_id', '=', workspaceId)
      .where('archived_at', archived ? 'is not' : 'is', null)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, id) > (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
      )
      .orderBy('created_at')
      .orderBy('id'),
    { limit, texts: ['description'] },
  );
