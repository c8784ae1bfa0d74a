import { conflict } from '@cardinal/contracts';
import type { Tx } from './database.ts';

/** How much a workspace may have. */
export interface Quotas {
  files: number;
  /** Of clean files and those on their way. */
  bytes: number;
  /** Of files on their way: each whose bytes are still to come counts as the largest that it may become. */
  pendingBytes: number;
}

/**
 * Ends a transaction that adds a file where the workspace has too much with it. Others that add one wait meanwhile.
 * @throws CardinalError `conflict`
 */
export const requireQuota = async (
  tx: Tx,
  workspaceId: string,
  { quotas, maxFileBytes }: { quotas: Quotas; maxFileBytes: number },
): Promise<void> => {
  const usage = await tx
    .selectFrom('workspace_usage')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const pendingBytes = usage.pending_files * maxFileBytes + usage.scanning_bytes;
  if (usage.files > quotas.files) {
    throw conflict(`The workspace has ${quotas.files} files, which is as many as it may; delete some first`);
  }
  if (pendingBytes > quotas.pendingBytes) {
    throw conflict('Too many files of the workspace wait to be uploaded or checked; finish or delete some first');
  }
  if (usage.clean_bytes + pendingBytes > quotas.bytes) {
    throw conflict(`The files of the workspace may have ${quotas.bytes} bytes in all; delete some first`);
  }
};
