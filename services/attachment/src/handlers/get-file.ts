import type { getFile as contract } from '@cardinal/contracts';
import type { Handler } from '@cardinal/service';
import { toFile } from '../domain/file.ts';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';

/** Reads a file's state. @throws CardinalError `not_found` */
export const getFileHandler =
  ({ db, sight }: Parts): Handler<typeof contract> =>
  async (request) =>
    toFile(await sight.requireFile(request, await db.read((tx) => getFile(tx, request.workspace_id, request.file_id))));
