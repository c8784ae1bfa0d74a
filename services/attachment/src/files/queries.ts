import { conflict, file as contract, type FileRejection, type FileStatus } from '@cardinal/contracts';
import { readPageRows, resourceOf } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { type Insertable, sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Reader, RowOf, Tables, Tx } from '../database.ts';

/** An image of the same look that is stored beside a file. */
export interface StoredRendition {
  width: number;
  height: number;
  /** Bytes; none where it was stored before they were counted. */
  size?: number;
  key: string;
}

/** A file as it is stored: the columns say less than the constraints on them do. */
export type StoredFile = Omit<RowOf<'files'>, 'status' | 'rejection' | 'renditions'> & {
  status: FileStatus;
  rejection: FileRejection | null;
  renditions: StoredRendition[];
};

/** The file as clients see it. */
export const toFile = resourceOf(contract);

/** The file of a row. */
export const toStored = (row: RowOf<'files'>): StoredFile => ({
  ...row,
  status: row.status as FileStatus,
  rejection: row.rejection as FileRejection | null,
  renditions: row.renditions as unknown as StoredRendition[],
});

export const insertFile = async (tx: Tx, row: Insertable<Tables['files']>): Promise<StoredFile> =>
  toStored(await tx.insertInto('files').values(row).returningAll().executeTakeFirstOrThrow());

const byId = (tx: Reader, workspaceId: string, fileId: string) =>
  tx.selectFrom('files').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', fileId);

/** Reads a file, whoever may see it. */
export const findFile = async (tx: Reader, workspaceId: string, fileId: string): Promise<StoredFile | undefined> => {
  const row = await byId(tx, workspaceId, fileId).executeTakeFirst();
  return row && toStored(row);
};

/** The same, and nobody deletes it before the transaction ends. */
export const lockFile = async (tx: Tx, workspaceId: string, fileId: string): Promise<StoredFile | undefined> => {
  const row = await byId(tx, workspaceId, fileId).forShare().executeTakeFirst();
  return row && toStored(row);
};

/** @returns whether there was one */
export const deleteFile = async (tx: Tx, workspaceId: string, fileId: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('files')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};

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

/**
 * Reads a page of the files of a workspace, oldest first.
 * @param boards those whose files are listed, beside the files of no board
 */
export const readFiles = async (
  tx: Reader,
  workspaceId: string,
  boards: ReadonlySet<string>,
  { limit, after }: OpenPage<[createdAt: string, id: string]>,
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

/**
 * Ends a transaction that adds a file where the workspace has too much with it. Others that add one wait meanwhile.
 * @throws CardinalError `conflict`
 */
export const requireQuota = async (
  tx: Tx,
  workspaceId: string,
  config: Pick<
    Config,
    'WORKSPACE_MAX_FILES' | 'WORKSPACE_MAX_BYTES' | 'WORKSPACE_MAX_PENDING_BYTES' | 'MAX_FILE_BYTES'
  >,
): Promise<void> => {
  const usage = await tx
    .selectFrom('workspace_usage')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const pendingBytes = usage.pending_files * config.MAX_FILE_BYTES + usage.scanning_bytes;
  if (usage.files > config.WORKSPACE_MAX_FILES) {
    throw conflict(
      `The workspace has ${config.WORKSPACE_MAX_FILES} files, which is as many as it may; delete some first`,
    );
  }
  if (pendingBytes > config.WORKSPACE_MAX_PENDING_BYTES) {
    throw conflict('Too many files of the workspace wait to be uploaded or checked; finish or delete some first');
  }
  if (usage.clean_bytes + pendingBytes > config.WORKSPACE_MAX_BYTES) {
    throw conflict(`The files of the workspace may have ${config.WORKSPACE_MAX_BYTES} bytes in all; delete some first`);
  }
};
