import type { getFileContent } from '@cardinal/contracts';
import type { Handler } from '@cardinal/service';
import { requireClean } from '../domain/readiness.ts';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';

/**
 * Says where a clean file can be read for a while.
 * @throws CardinalError `not_found`, `conflict` while it is not checked, `validation_error` where it failed a check
 */
export const getFileContentHandler =
  ({ db, sight, urls, now }: Parts): Handler<typeof getFileContent> =>
  async (request) => {
    const { workspace_id, file_id } = request;
    const file = await sight.requireFile(request, await db.read((tx) => getFile(tx, workspace_id, file_id)));
    requireClean(file);
    return { url: urls.content(workspace_id, file_id, now()) };
  };
