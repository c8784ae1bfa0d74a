import type { closeRange as contract } from '@cardinal/contracts';
import { closeRange as close } from '../numbers/ranges.ts';
import type { Handler, Parts } from '../parts.ts';

/** Ends a workstream's range for good. Whoever issues from it at this moment ends first: both hold its row. */
export const closeRange =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, workstream }) => {
    await db.statement((tx) => close(tx, workspace_id, workstream));
    return { closed: true };
  };
