import type { deleteCover } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { Handler } from '@cardinal/service';
import type { Parts } from '../parts.ts';
import { setCover } from '../store/covers.ts';
import { coverEvent } from '../writing/events.ts';

/** Takes a card's cover away, also where it has none. @throws CardinalError `not_found`, `conflict` */
export const deleteCoverHandler =
  ({ db, sight, relay, now }: Parts): Handler<typeof deleteCover> =>
  async (request) => {
    const { workspace_id, card_id } = request;
    const card = await sight.requireCard(request, card_id);
    card.requireWritable();
    await db.transaction(async (tx) => {
      const change = await setCover(tx, workspace_id, card_id, null);
      if (change) await appendEvents(tx, [coverEvent(workspace_id, change, now())]);
    });
    relay.nudge();
    return { deleted: true };
  };
