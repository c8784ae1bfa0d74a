import type { projectDependency as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { projectDependency as project } from '../store/card-dependencies.ts';

/** Takes a dependency's event in before its writer is answered, so that the next lookup counts it. */
export const projectDependency =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (event) => ({ applied: await db.transaction((tx) => project(tx, event)) });
