import type { Event } from '@cardinal/contracts';
import { applyOnce } from '@cardinal/db';
import { removeCard } from '../graph/remove-card.ts';
import type { Parts } from '../parts.ts';

/** Takes a deleted card out of its workspace's graph. */
export const onCardDeleted =
  ({ db, relay, inTurn, now }: Parts) =>
  async (event: Event): Promise<void> => {
    const { workspace_id, aggregate_id } = event;
    await inTurn(workspace_id, () =>
      db.transaction((tx) => applyOnce(tx, event, () => removeCard(tx, workspace_id, aggregate_id, now()))),
    );
    relay.nudge();
  };
