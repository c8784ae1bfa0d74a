import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import type { Reader } from './database.ts';
import { toStored } from './files.ts';

/** Every board that has files. Each costs one step in an index, however many files it has. */
export const boardsOfFiles = async (tx: Reader, workspaceId: string): Promise<string[]> => {
  const { rows } = await sql<{ board_id: string }>`
    with recursive boards (board_id) as (
      (select board_id from files where workspace_id = ${workspaceId} and board_id is not null order by board_id limit 1)
      union all
      select (
        select board_id from files
        where workspace_id = ${workspaceId} and board_id > boards.board_id order by board_id limit 1
      )
      from boards where boards.board_id is not null
    )
    select board_id from boards where board_id is not null`.execute(tx);
  return rows.map((row) => row.board_id);
};

interface Wanted {
  workspaceId: string;
  /** Those whose files are listed, beside the files of no board. */
  boards: ReadonlySet<string>;
  page: OpenPage<[createdAt: string, id: string]>;
}

/** Reads a page of the files of a workspace, oldest first. */
export const listFiles = async (
  tx: Reader,
  { workspaceId, boards, page: { limit, after } }: Wanted,
): Promise<StoredFile[]> => {
  const rows = await readPageRows(
    tx,
    tx
      .selectFrom('files')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where(sql<boolean>`(board_id is null or board_id = any (${[...boards]}::uuid[]))`)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, id) > (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
      )
      .orderBy('created_at')
      .orderBy('id'),
    { limit },
  );
  return rows.map(toStored);
};
