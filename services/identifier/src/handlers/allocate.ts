import type { allocate } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';

/** Gives an operation its number, the same one however often it is asked for (architecture, "One commit point", 2). */
export const allocateHandler =
  ({ allocations, mains }: Parts): Handler<typeof allocate> =>
  async ({ workspace_id, user_id, operation_id, card_id, workstream_id, fall_back }) => {
    const main = await mains.idOf(workspace_id);
    const named = workstream_id ?? main;
    const candidates = fall_back && named !== main ? [named, main] : [named];
    return allocations.submit({ workspace_id, user_id, operation_id, card_id, candidates });
  };
