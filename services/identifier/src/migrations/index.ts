import type { Migration } from '@cardinal/db';
import { up } from './0001_identifiers.ts';

/** Every migration of the identifier service, in order. */
export const migrations: Record<string, Migration> = {
  '0001_identifiers': { up },
};
