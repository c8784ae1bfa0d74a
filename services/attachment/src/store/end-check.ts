import type { FileRejection } from '@cardinal/contracts';
import type { StoredFile, StoredRendition } from '../domain/file.ts';
import type { Tx } from './database.ts';

/** How a check ended. */
export interface CheckEnd {
  status: 'clean' | 'infected' | 'rejected';
  rejection: FileRejection | null;
  contentType: string | null;
  image: { width: number; height: number; renditions: StoredRendition[] } | undefined;
}

/** Writes the outcome of a check down, unless the file is gone or was judged before. */
export const endCheck = async (tx: Tx, { workspace_id, id }: StoredFile, end: CheckEnd, now: Date): Promise<void> => {
  await tx
    .updateTable('files')
    .set({
      status: end.status,
      rejection: end.rejection,
      content_type: end.contentType,
      width: end.image?.width ?? null,
      height: end.image?.height ?? null,
      renditions: JSON.stringify(end.image?.renditions ?? []),
      ...(end.status === 'clean' ? {} : { storage_key: null }),
      updated_at: now,
      due_at: null,
      lease_id: null,
    })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('status', '=', 'scanning')
    .execute();
};
