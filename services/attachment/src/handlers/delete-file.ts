import { type deleteFile as contract, notFound } from '@cardinal/contracts';
import { appendEvents, findCommand, runIdempotently } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import type { Parts } from '../parts.ts';
import { clearCoversOf } from '../store/covers.ts';
import { deleteFile, getFile } from '../store/files.ts';
import { clearLinksOf } from '../store/linked-files.ts';
import { noteRemoval } from '../store/removals.ts';
import { coverEvent, type LinkEvent, linkEvent } from '../writing/events.ts';

/** Deletes a file: its covers and links vanish with it, its bytes soon after. @throws CardinalError `not_found` */
export const deleteFileHandler =
  ({ db, sight, announce, removals, now }: Parts): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, file_id, command } = request;
    // The bus may repeat the request after the file is gone.
    const known = await db.read((tx) => findCommand(tx, workspace_id, command));
    if (known?.state === 'ended') return { deleted: true };
    const file = await sight.requireFile(request, await db.read((tx) => getFile(tx, workspace_id, file_id)));
    const moment = now();
    let links: LinkEvent[] = [];
    const { replayed } = await db.transaction((tx) =>
      runIdempotently(tx, request, moment, async () => {
        if (!(await deleteFile(tx, workspace_id, file_id))) throw notFound('File');
        const covers = (await clearCoversOf(tx, workspace_id, file_id)).map((change) =>
          coverEvent(workspace_id, change, moment),
        );
        links = (await clearLinksOf(tx, workspace_id, file_id)).map((change) =>
          linkEvent(workspace_id, change, undefined, moment),
        );
        await appendEvents(tx, [...covers, ...links]);
        await noteRemoval(tx, file, moment);
        return {};
      }),
    );
    if (!replayed) {
      removals.nudge();
      await announce(links);
    }
    return { deleted: true };
  };
