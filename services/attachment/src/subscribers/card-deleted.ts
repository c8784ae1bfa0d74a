import type { Event } from '@cardinal/contracts';
import type { Parts } from '../parts.ts';
import { buryCard } from '../store/card-lock.ts';

/** Takes a deleted card's cover and links away and keeps late ones out; its files stay (api-decisions, "Files"). */
export const onCardDeleted =
  ({ db, now }: Pick<Parts, 'db' | 'now'>) =>
  async ({ workspace_id, aggregate_id }: Event): Promise<void> => {
    await db.transaction((tx) => buryCard(tx, workspace_id, aggregate_id, now()));
  };
