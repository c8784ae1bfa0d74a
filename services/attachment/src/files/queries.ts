import { conflict, file as contract } from '@cardinal/contracts';
import { readPageRows, resourceOf, rowsOf } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Reader, StoredFile, Tables, Tx } from '../context.ts';

/** Presents a file as clients see it. */
export const toFile = resourceOf(contract);

/** The key of a job for a file. It counts for the user who created the file. */
export const jobOf = (kind: string, { workspace_id, id, created_by }: JobOwner) => ({
  workspace_id,
  kind,
  key: id,
  user_id: created_by,
});

type JobOwner = Pick<StoredFile, 'workspace_id' | 'id' | 'created_by'>;

export const files = rowsOf<Tables, 'files'>('files');

/** Reads a file, without a check of visibility. */
export const findFile = files.find;

/** Reads a file and locks it against deletion until the transaction ends. */
export const lockFile = (tx: Tx, workspaceId: string, fileId: string): Promise<StoredFile | undefined> =>
  files.in(tx, workspaceId).where('id', '=', fileId).forShare().executeTakeFirst();

/** A file that a card or a subtask shows, with its board. */
export type ShownFile = Pick<StoredFile, 'id' | 'board_id'>;

/** Reads the file that a card or subtask shows, and locks that until the transaction ends. */
export const findShown = async (
  tx: Tx,
  table: 'covers' | 'linked_files',
  which: { workspace_id: string; card_id: string } | { workspace_id: string; subtask_id: string },
): Promise<ShownFile | undefined> => {
  const { workspace_id } = which;
  const [column, id] = 'card_id' in which ? ['card_id', which.card_id] : ['subtask_id', which.subtask_id];
  const { rows } = await sql<ShownFile>`
    select files.id, files.board_id from ${sql.table(table)} as shown
    join files on files.workspace_id = shown.workspace_id and files.id = shown.file_id
    where shown.workspace_id = ${workspace_id} and shown.${sql.ref(column)} = ${id} for no key update of shown`.execute(
    tx,
  );
  return rows[0];
};

/** Reads every board that has files. Each costs one step in an index, however many files it has. */
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
 * @param boards whose files are listed, besides the files of no board
 */
export const readFiles = (
  tx: Reader,
  workspaceId: string,
  boards: ReadonlySet<string>,
  page: OpenPage<[createdAt: string, id: string]>,
): Promise<StoredFile[]> => {
  const listed = sql<boolean>`(board_id is null or board_id = any (${[...boards]}::uuid[]))`;
  return readPageRows(tx, files.in(tx, workspaceId).where(listed), { by: ['created_at', 'id'], ...page });
};

/**
 * The last step of a transaction that adds a file: refuses where the workspace exceeds its quota with it. Other
 * transactions that add one wait meanwhile.
 * @throws CardinalError `conflict`
 */
export const requireQuota = async (tx: Tx, workspaceId: string, config: Config): Promise<void> => {
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
