import { notFound, type putCover } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import { requireImage } from '../domain/readiness.ts';
import type { Parts } from '../parts.ts';
import { lockLiving } from '../store/card-lock.ts';
import { setCover } from '../store/covers.ts';
import { getFile, shareFile } from '../store/files.ts';
import { coverOf } from '../writing/cover.ts';
import { coverEvent } from '../writing/events.ts';

/**
 * Makes a file the cover of a card; where it is already, nothing changes.
 * @throws CardinalError `not_found` for card or file, `conflict` while the file is not checked or where the card's board
 *   is deleted, `validation_error` for a file that failed a check or is no image
 */
export const putCoverHandler =
  ({ db, sight, relay, urls, now }: Parts): Handler<typeof putCover> =>
  async (request) => {
    const { workspace_id, card_id, file_id } = request;
    const card = await sight.requireCard(request, card_id);
    card.requireWritable();
    await sight.requireFile(request, await db.read((tx) => getFile(tx, workspace_id, file_id)));
    const moment = now();
    const file = await db.transaction(async (tx) => {
      if (!(await lockLiving(tx, workspace_id, { cardId: card_id }))) throw notFound('Card');
      const current = await shareFile(tx, workspace_id, file_id);
      if (!current) throw notFound('File');
      requireImage(current);
      const change = await setCover(tx, workspace_id, card_id, file_id);
      if (change) await appendEvents(tx, [coverEvent(workspace_id, change, moment)]);
      return current;
    });
    relay.nudge();
    return coverOf(file, urls, moment);
  };
