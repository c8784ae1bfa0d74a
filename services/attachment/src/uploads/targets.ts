import type { Upload } from '@cardinal/contracts';
import type { StoredFile } from '../domain/file.ts';
import type { SignedUrls } from '../links/signed-urls.ts';
import type { Storage } from '../storage/storage.ts';

/** How soon the storage is asked whether a direct upload arrived, in milliseconds. */
const firstLookMs = 500;

/** Where a client uploads to, and when the sweeper shall look after that. */
export interface UploadTargets {
  targetOf(file: StoredFile): Promise<{ upload: Upload; dueAt: Date }>;
}

/** The folder of a file in the storage. */
export const folderOf = ({ workspace_id, id }: Pick<StoredFile, 'workspace_id' | 'id'>) => `${workspace_id}/${id}`;

/** Where a direct upload arrives. */
export const incomingKey = (file: StoredFile) => `${folderOf(file)}/incoming`;

interface Needs {
  storage: Storage;
  urls: SignedUrls;
  limits: { transferTimeoutMs: number };
}

export const createUploadTargets = ({ storage, urls, limits }: Needs): UploadTargets => ({
  async targetOf(file) {
    const { upload_expires_at: expires, workspace_id, id } = file;
    const common = { method: 'PUT', expires_at: expires.toISOString() } as const;
    if (storage.direct) {
      const target = await storage.direct.target(incomingKey(file), expires);
      return { upload: { ...common, ...target }, dueAt: new Date(file.created_at.getTime() + firstLookMs) };
    }
    return {
      upload: { ...common, url: urls.upload(workspace_id, id, expires), headers: {} },
      // One that began in time may last beyond it.
      dueAt: new Date(expires.getTime() + limits.transferTimeoutMs),
    };
  },
});
