import type { Migration } from '@cardinal/db';
import { up } from './0001_dependencies.ts';

/** Every migration of the dependency service, in order. */
export const migrations: Record<string, Migration> = {
  '0001_dependencies': { up },
};
