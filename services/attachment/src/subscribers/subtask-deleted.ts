import { subtaskDeleted as contract, type Event } from '@cardinal/contracts';
import type { Parts } from '../parts.ts';
import { burySubtask } from '../store/card-lock.ts';

/** Takes a deleted subtask's link away and keeps late ones out. */
export const onSubtaskDeleted =
  ({ db, now }: Pick<Parts, 'db' | 'now'>) =>
  async (event: Event): Promise<void> => {
    const { workspace_id, aggregate_id, data } = contract.schema.parse(event);
    const gone = { cardId: data.card_id, subtaskId: aggregate_id };
    await db.transaction((tx) => burySubtask(tx, workspace_id, gone, now()));
  };
