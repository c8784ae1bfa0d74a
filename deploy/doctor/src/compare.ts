import type { DatabaseOwner } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Sources, Tx } from './sources.ts';

/** A query with the columns `key` (ASCII, unique) and `value` (jsonb), in any order. */
export interface Side {
  service: DatabaseOwner;
  query: string;
}

/** A key whose values differ on two sides, with the value of each side that has it, as JSON. */
export interface Mismatch {
  key: string;
  owner: string | undefined;
  copy: string | undefined;
}

interface Row {
  key: string;
  value: string;
}

const rowsAtOnce = 2_000;

export interface Comparison {
  owner: Side;
  copy: Side;
  /** Decides which keys may differ: a copy may lack some, or have tombstones. */
  ignores: (mismatch: Mismatch) => boolean;
  /** The keys to compare; all by default. */
  only?: ReadonlySet<string> | undefined;
}

/** The most differences of one kind that are reported: more add nothing new. */
export const maxDifferences = 1_000;

/** Merges two sides of any size in the order of their keys. @returns their differences */
export const compare = (sources: Sources, { owner, copy, ignores, only }: Comparison): Promise<Mismatch[]> =>
  sources.of(owner.service).transaction((ownerTx) =>
    sources.of(copy.service).transaction(async (copyTx) => {
      // Both snapshots begin as close together as possible: writes between them are differences.
      await Promise.all([begin(ownerTx, owner.query), begin(copyTx, copy.query)]);
      const passes = (one: Mismatch) => ignores(one) || (only !== undefined && !only.has(one.key));
      return merge(walk(ownerTx), walk(copyTx), passes);
    }),
  );

/** Opens a cursor: its rows stay those of this moment, however long the reading takes. */
const begin = async (tx: Tx, query: string): Promise<void> => {
  // One side may idle in its transaction while the other is read: no timeout.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  await sql
    .raw(
      `declare walk no scroll cursor for
       select key, value::text as value from (${query}) as side order by key collate "C"`,
    )
    .execute(tx);
};

async function* walk(tx: Tx): AsyncGenerator<Row, undefined> {
  for (;;) {
    const { rows } = await sql.raw<Row>(`fetch ${rowsAtOnce} from walk`).execute(tx);
    yield* rows;
    if (rows.length < rowsAtOnce) return undefined;
  }
}

const merge = async (
  owners: AsyncGenerator<Row>,
  copies: AsyncGenerator<Row>,
  ignores: Comparison['ignores'],
): Promise<Mismatch[]> => {
  const found: Mismatch[] = [];
  const note = (mismatch: Mismatch) => ignores(mismatch) || found.push(mismatch);
  const next = async (side: AsyncGenerator<Row>) => (await side.next()).value as Row | undefined;
  let [owner, copy] = [await next(owners), await next(copies)];
  while ((owner || copy) && found.length < maxDifferences) {
    const key = owner && (!copy || owner.key < copy.key) ? owner.key : (copy as Row).key;
    const [mine, theirs] = [owner, copy].map((row) => (row?.key === key ? row : undefined));
    if (mine?.value !== theirs?.value) note({ key, owner: mine?.value, copy: theirs?.value });
    if (mine) owner = await next(owners);
    if (theirs) copy = await next(copies);
  }
  return found;
};
