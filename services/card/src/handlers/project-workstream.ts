import type { projectWorkstream as contract } from '@cardinal/contracts';
import { applyOnce } from '@cardinal/db';
import type { Handler, Parts } from '../parts.ts';
import { projectWorkstream as project } from '../store/workstreams.ts';

/** Takes a workstream's event in before its writer is answered, so that the next read of a card shows it. */
export const projectWorkstream =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (event) => ({
    applied: await db.transaction((tx) => applyOnce(tx, event, () => project(tx, event.workspace_id, event.data))),
  });
