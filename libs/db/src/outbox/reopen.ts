import { sql } from 'kysely';
import type { Database } from '../open.ts';

const batchSize = 5_000;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Takes back that the broker has what the outbox holds, for a broker that lost it; the relay then publishes all of it
 * again. Leases end as well, so that whoever is publishing to the lost stream right now cannot mark that as done.
 * @returns how many events were taken back
 */
export async function reopenOutbox<Tables>(db: Database<Tables>): Promise<number> {
  let reopened = 0;
  let after = beforeAll;
  for (;;) {
    const { seen, changed, last } = await reopenBatch(db, after);
    reopened += changed;
    if (seen < batchSize || !last) return reopened;
    after = last;
  }
}

const reopenBatch = async <Tables>(db: Database<Tables>, after: string) => {
  const { rows } = await db.transaction((tx) =>
    sql<{ seen: number; changed: number; last: string | null }>`
      with batch as materialized (
        select id from outbox where id > ${after} order by id limit ${batchSize} for update
      ), changed as (
        update outbox set published_at = null, leased_until = null
        from batch
        where outbox.id = batch.id and (published_at is not null or leased_until is not null)
        returning 1
      )
      select
        (select count(*) from batch) as seen,
        (select count(*) from changed) as changed,
        (select id from batch order by id desc limit 1) as last`.execute(tx),
  );
  return rows[0] ?? { seen: 0, changed: 0, last: null };
};
