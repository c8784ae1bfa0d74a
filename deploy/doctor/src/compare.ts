import type { DatabaseOwner } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Sources, Tx } from './sources.ts';

/** A query that answers rows of `key` (ASCII, unique) and `value` (jsonb), in any order. */
export interface Side {
  service: DatabaseOwner;
  query: string;
}

/** A key at which two sides do not say the same, with the value of each that has it, as JSON. */
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
  /** Decides what may differ: a copy that leaves something out, or a tombstone. */
  ignores: (mismatch: Mismatch) => boolean;
  /** Keys that are looked for; all where left out. */
  only?: ReadonlySet<string> | undefined;
}

/** More differences of one kind add nothing new. */
export const maxDifferences = 1_000;

/** Walks two sides of any size in the order of their keys, and answers what differs. */
export const compare = (sources: Sources, { owner, copy, ignores, only }: Comparison): Promise<Mismatch[]> =>
  sources.of(owner.service).transaction((ownerTx) =>
    sources.of(copy.service).transaction(async (copyTx) => {
      // Both as they are at one moment, as far as that can be: what is written meanwhile differs.
      await Promise.all([begin(ownerTx, owner.query), begin(copyTx, copy.query)]);
      const passes = (one: Mismatch) => ignores(one) || (only !== undefined && !only.has(one.key));
      return merge(walk(ownerTx), walk(copyTx), passes);
    }),
  );

/** From here on the rows are read as they are now, however long that takes. */
const begin = async (tx: Tx, query: string): Promise<void> => {
  // One side waits while the other is read on, for as long as that takes.
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
