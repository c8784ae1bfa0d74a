import { type Erasure, erasure, erasureKey, erasureKeys } from '@cardinal/contracts';
import { type Connections, comparedWithRegister, type DatabaseLineage, recordMark } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tables, Tx } from '../context.ts';

/** Rows that are read at once. */
const pageSize = 100;

type Access = Pick<Connections<Tables>, 'db' | 'bus'>;
interface Whom {
  workspace_id: string;
  id: string;
}

/** Erases name and e-mail in the database, wherever they stand there. */
export const erase = async (tx: Tx, { workspace_id, id }: Whom, { version, at }: Erasure): Promise<void> => {
  await sql`
    update people set name = null, email = null, claimed_name = null, claimed_email = null, claimed_at = null,
      version = ${version}, erased_at = ${at}, updated_at = greatest(updated_at, ${at})
    where workspace_id = ${workspace_id} and id = ${id} and version < ${version}`.execute(tx);
  await sql`
    delete from people_words where workspace_id = ${workspace_id} and person_id = ${id}
      and exists (select from people where workspace_id = ${workspace_id} and id = ${id} and version = ${version})`.execute(
    tx,
  );
};

/** Writes an erasure to the register. A later one is kept. @throws CardinalError `unavailable` */
const record = (register: Access['bus']['register'], { workspace_id, id }: Whom, one: Erasure): Promise<void> =>
  recordMark(register, erasureKey(workspace_id, id), {
    schema: erasure,
    next: (known) => (known && known.version >= one.version ? undefined : one),
  });

export type Erasures = ReturnType<typeof createErasures>;

/**
 * Makes erasures survive a rollback of the database. Each is written to the register before it commits in the database, and
 * applied from there after a rollback, before any person is read.
 */
export const createErasures = ({ db, bus: { register } }: Access, lineage: Pick<DatabaseLineage, 'met'>) => {
  const applyAll = async (epoch: number): Promise<void> => {
    let last = 0;
    for (;;) {
      const found = await register.next(erasureKeys, last, erasure);
      if (!found) break;
      const { key, value, revision } = found;
      last = revision;
      const [, workspace_id = '', id = ''] = key.split('.');
      if (value) await db.transaction((tx) => erase(tx, { workspace_id, id }, value));
    }
    await db.statement((tx) => sql`update erasures_applied set epoch = greatest(epoch, ${epoch})`.execute(tx));
  };

  return {
    /**
     * Applies the erasures that a rollback of the database undid. There are fewer of them than people, so the register is read.
     * @throws CardinalError `unavailable` if the database or the register cannot be reached
     */
    upToDate: comparedWithRegister(lineage, {
      list: async (epoch) =>
        (await db.read((tx) => sql`select from erasures_applied where epoch < ${epoch}`.execute(tx))).rows,
      compare: (_, epoch) => applyAll(epoch),
    }),
    /** The erasure of somebody whom the database does not know: it may have forgotten them. */
    of: async ({ workspace_id, id }: Whom): Promise<Erasure | undefined> =>
      (await register.read(erasureKey(workspace_id, id), erasure)).value,
    /** Writes an erasure, before it commits. @throws CardinalError `unavailable` */
    record: (whom: Whom, one: Erasure): Promise<void> => record(register, whom, one),
  };
};

/**
 * Writes erasures into a register that lacks them, as after its loss.
 * @throws CardinalError `unavailable` if the database or the register cannot be reached
 */
export const restoreErasures = async ({ db, bus: { register } }: Access): Promise<void> => {
  const nobody = '00000000-0000-0000-0000-000000000000';
  for (let after: Whom = { workspace_id: nobody, id: nobody }; ; ) {
    const { rows } = await db.read((tx) =>
      sql<Whom & { version: number; erased_at: Date }>`
        select workspace_id, id, version, erased_at from people
        where (workspace_id, id) > (${after.workspace_id}, ${after.id}) and erased_at is not null
        order by workspace_id, id limit ${pageSize}`.execute(tx),
    );
    await Promise.all(
      rows.map(async (row) => {
        const known = await register.read(erasureKey(row.workspace_id, row.id), erasure);
        if (!known.value) await record(register, row, { version: row.version, at: row.erased_at.toISOString() });
      }),
    );
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last;
  }
};
