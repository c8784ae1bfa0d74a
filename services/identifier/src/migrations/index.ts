import type { Migration } from '@cardinal/db';
import { up as identifiers } from './0001_identifiers.ts';
import { up as grants } from './0002_grants.ts';

/** Every migration of the identifier service, in order. */
export const migrations: Record<string, Migration> = {
  '0001_identifiers': { up: identifiers },
  '0002_grants': { up: grants },
};
