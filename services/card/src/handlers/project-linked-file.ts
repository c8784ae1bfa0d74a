import type { projectLinkedFile as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { projectLinkedFile as project } from '../store/linked-files.ts';

/** Takes a link's event in before its writer is answered, so that the next read of the subtask shows it. */
export const projectLinkedFile =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (event) => ({ applied: await db.transaction((tx) => project(tx, event)) });
