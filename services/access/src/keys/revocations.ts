import { type KeyMark, keyMark, keyMarkEnd, keyMarkKey } from '@cardinal/contracts';
import { type Connections, comparedWithRegister, type DatabaseLineage, recordMark } from '@cardinal/service';
import { sql } from 'kysely';
import { apiKeys, type KeyRow, type Reader, type Tables } from '../context.ts';

/** Rows that are read at once. */
const pageSize = 100;
/** Below every id. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** A key after the write that takes a text away from it. */
export type Revoked = Pick<
  KeyRow,
  'workspace_id' | 'id' | 'version' | 'hash' | 'former_hash' | 'former_until' | 'expires_at'
>;

const markOf = ({ version, hash, former_hash, former_until }: Revoked): KeyMark => ({
  version,
  left: hash === null ? null : { hash, former_hash, former_until: former_until?.toISOString() ?? null },
});

/** A text of a key, and the version of the key in the database. */
type Text = Pick<KeyRow, 'workspace_id' | 'id' | 'version'> & { hash: string };

const isFormer = ({ former_hash, former_until }: NonNullable<KeyMark['left']>, hash: string, now: Date): boolean =>
  former_hash === hash && former_until !== null && new Date(former_until) > now;

export type Revocations = ReturnType<typeof createRevocations>;

/**
 * Makes revocations survive a rollback of the database: a deletion, or a rotation. Each is written to the register before it
 * commits in the database, and restored from there after a rollback, before any key is verified (ADR 0072 does the same for
 * webhooks).
 */
export const createRevocations = (
  { db, bus: { register }, now }: Pick<Connections<Tables>, 'db' | 'bus' | 'now'>,
  lineage: Pick<DatabaseLineage, 'met'>,
) => {
  const read = async (key: string) => {
    const { value: mark, revision } = await register.read(key, keyMark);
    return { mark, revision };
  };

  const compare = async ({ workspace_id, id }: Pick<KeyRow, 'workspace_id' | 'id'>, epoch: number) => {
    const { mark } = await read(keyMarkKey(workspace_id, id));
    await db.transaction(async (tx) => {
      const row = await apiKeys.lock(tx, workspace_id, id);
      if (!row || row.epoch >= epoch) return;
      const one = tx.updateTable('api_keys').where('workspace_id', '=', workspace_id).where('id', '=', id);
      if (!mark || mark.version <= row.version) await one.set({ epoch }).execute();
      else if (mark.left) await one.set({ ...mark.left, version: mark.version, epoch }).execute();
      else {
        const revoked = { hash: null, former_hash: null, former_until: null, revoked_at: row.revoked_at ?? now() };
        await one.set({ ...revoked, version: mark.version, epoch }).execute();
      }
    });
  };

  return {
    /**
     * Restores the revocations that a rollback of the database undid.
     * @returns the present epoch
     * @throws CardinalError `unavailable` if the database or the register cannot be reached
     */
    upToDate: comparedWithRegister(lineage, {
      list: (epoch, limit) => db.read((tx) => listUncompared(tx, epoch, limit)),
      compare,
    }),
    /** Whether the register knows that a text of a key was taken away, which the database does not know. */
    isTakenAway: async ({ workspace_id, id, version, hash }: Text): Promise<boolean> => {
      const { mark } = await read(keyMarkKey(workspace_id, id));
      if (!mark || mark.version <= version) return false;
      return mark.left === null || (mark.left.hash !== hash && !isFormer(mark.left, hash, now()));
    },
    /** Writes a revocation to the register. A newer one is kept. @throws CardinalError `unavailable` */
    record: (revoked: Revoked): Promise<void> =>
      recordMark(register, keyMarkKey(revoked.workspace_id, revoked.id), {
        schema: keyMark,
        end: keyMarkEnd(revoked.expires_at),
        // Once revoked, a key stays revoked, whatever else is written at the same time.
        next: (known) =>
          known && (known.left === null || known.version > revoked.version) && revoked.hash !== null
            ? undefined
            : markOf(revoked),
      }),
  };
};

/**
 * Writes what was taken away from keys into a register that lacks it, as after its loss.
 * @throws CardinalError `unavailable` if the database or the register cannot be reached
 */
export const restoreMarks = async ({
  db,
  bus: { register },
}: Pick<Connections<Tables>, 'db' | 'bus'>): Promise<void> => {
  /** A mark that another process writes at the same time is as new. */
  const restore = async (row: Revoked) => {
    const key = keyMarkKey(row.workspace_id, row.id);
    const { value: mark, revision } = await register.read(key, keyMark);
    if (!mark || mark.version < row.version)
      await register.write(key, markOf(row), revision, keyMarkEnd(row.expires_at));
  };
  for (let after: Pick<KeyRow, 'workspace_id' | 'id'> | undefined; ; ) {
    const rows = await db.read((tx) => listRevoked(tx, after));
    await Promise.all(rows.map(restore));
    after = rows.at(-1);
    if (rows.length < pageSize) return;
  }
};

/** Returns keys that something was taken away from, and that have not ended, in the order of their ids. */
const listRevoked = async (tx: Reader, after: Pick<KeyRow, 'workspace_id' | 'id'> | undefined) => {
  const { workspace_id = nobody, id = nobody } = after ?? {};
  const { rows } = await sql<Revoked>`
    select workspace_id, id, version, hash, former_hash, former_until, expires_at from api_keys
    where (workspace_id, id) > (${workspace_id}, ${id}) and version > 1 and (expires_at is null or expires_at > now())
    order by workspace_id, id limit ${pageSize}`.execute(tx);
  return rows;
};

/** Returns keys that were not compared since the last rollback. */
const listUncompared = async (tx: Reader, epoch: number, limit: number) => {
  const { rows } = await sql<Pick<KeyRow, 'workspace_id' | 'id'>>`
    select workspace_id, id from api_keys where epoch < ${epoch} limit ${limit}`.execute(tx);
  return rows;
};
