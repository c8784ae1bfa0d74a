import { type Broker, onRegister, type Register } from '@cardinal/bus';
import { type KeyMark, keyMark, keyMarkEnd, keyMarkKey, registerOf, unavailable } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Sources } from './sources.ts';

/** Keys that are revoked at once. */
const pageSize = 200;
/** Most tries to write a mark that the service writes at the same time. */
const maxTries = 20;

interface Row {
  workspace_id: string;
  id: string;
  version: number;
  expires_at: Date | null;
}

/** Writes into the register that a key is revoked. @returns the version of the key from then on */
const markRevoked = async (register: Register, { workspace_id, id, version, expires_at }: Row): Promise<number> => {
  const key = keyMarkKey(workspace_id, id);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { value: known, revision } = await register.read(key, keyMark);
    if (known && known.left === null && known.version > version) return known.version;
    const next: KeyMark = { version: Math.max(version, known?.version ?? 0) + 1, left: null };
    if ((await register.write(key, next, revision, keyMarkEnd(expires_at))) !== undefined) return next.version;
  }
  throw unavailable(`The register's key ${key} changes all the time`);
};

/**
 * Revokes all API keys that were created before a time and have not ended: first in the register, then in the database, so that
 * they stay revoked after a rollback. A repetition continues where the command was cut off. A key that is rotated meanwhile is
 * revoked with its new text.
 * @param progress receives the number of keys revoked so far
 * @returns how many were revoked
 * @throws CardinalError `unavailable` if the register cannot be reached
 */
export const revokeKeysBefore = async (
  sources: Sources,
  broker: Broker,
  before: Date,
  progress: (revoked: number) => void,
): Promise<number> => {
  let revoked = 0;
  for (;;) {
    const rows = await sources.read(
      'access',
      sql<Row>`
        select workspace_id, id, version, expires_at from access.api_keys
        where created_at < ${before} and revoked_at is null and (expires_at is null or expires_at > now())
        order by workspace_id, id limit ${pageSize}`,
    );
    if (rows.length === 0) return revoked;
    const versions = await onRegister(
      broker,
      (register) => Promise.all(rows.map((row) => markRevoked(register, row))),
      registerOf('access'),
    );
    revoked += await sources.write(
      'access',
      sql`
        update access.api_keys set version = next, updated_at = now(), revoked_at = now(),
          hash = null, former_hash = null, former_until = null
        from unnest(${rows.map(({ workspace_id }) => workspace_id)}::uuid[], ${rows.map(({ id }) => id)}::uuid[],
          ${rows.map(({ version }) => version)}::integer[], ${versions}::integer[]) as one (workspace_id, id, version, next)
        where api_keys.workspace_id = one.workspace_id and api_keys.id = one.id and api_keys.version = one.version
          and revoked_at is null`,
    );
    progress(revoked);
  }
};
