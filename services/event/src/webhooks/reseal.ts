import { sql } from 'kysely';
import type { DeliveryContext } from './context.ts';

/** Rows in one round. */
const atOnce = 200;

/** Seals secrets with the current key that were sealed with the one before, and forgets those that sign no longer. */
export const resealSecrets = async ({
  db,
  vault,
  now,
}: Pick<DeliveryContext, 'db' | 'vault' | 'now'>): Promise<void> => {
  await db.statement((tx) =>
    sql`update webhooks set former_secret = null where former_secret_until < ${now()} and former_secret is not null`.execute(
      tx,
    ),
  );
  const old = (column: 'secret' | 'former_secret') =>
    sql<boolean>`not starts_with(${sql.ref(column)}, ${vault.prefix})`;
  for (;;) {
    const resealed = await db.transaction(async (tx) => {
      const rows = await tx
        .selectFrom('webhooks')
        .select(['workspace_id', 'id', 'secret', 'former_secret'])
        .where((eb) => eb.or([old('secret'), old('former_secret')]))
        .limit(atOnce)
        .forNoKeyUpdate()
        .skipLocked()
        .execute();
      for (const { workspace_id, id, secret, former_secret } of rows) {
        const again = (sealed: string) => vault.seal(vault.open(sealed, id), id);
        const sealed = { secret: again(secret), former_secret: former_secret === null ? null : again(former_secret) };
        const one = tx.updateTable('webhooks').set(sealed).where('workspace_id', '=', workspace_id);
        await one.where('id', '=', id).execute();
      }
      return rows.length;
    });
    if (resealed < atOnce) return;
  }
};
