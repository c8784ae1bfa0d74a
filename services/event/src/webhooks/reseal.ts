import { sql } from 'kysely';
import type { DeliveryContext } from './context.ts';

/** Rows in one round. */
const atOnce = 200;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Seals secrets with the current key that were sealed with the one before, and forgets those that sign no longer.
 * Notes of each whether it can be opened.
 * @throws Error where some could not be opened, after all others
 */
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
  let problem: unknown;
  const again = ({ secret, former_secret }: { secret: string; former_secret: string | null }, id: string) => {
    const sealedAgain = (sealed: string) => vault.seal(vault.open(sealed, id), id);
    try {
      return { secret: sealedAgain(secret), former_secret: former_secret === null ? null : sealedAgain(former_secret) };
    } catch (error) {
      problem ??= error;
      return undefined;
    }
  };
  for (let after: string | undefined = beforeAll; after !== undefined; ) {
    const from: string = after;
    after = await db.transaction(async (tx) => {
      const rows = await tx
        .selectFrom('webhooks')
        .select(['workspace_id', 'id', 'secret', 'former_secret'])
        .where((eb) => eb.or([old('secret'), old('former_secret'), eb('secret_unreadable', '=', true)]))
        .where('id', '>', from)
        .orderBy('id')
        .limit(atOnce)
        .forNoKeyUpdate()
        .skipLocked()
        .execute();
      for (const { workspace_id, id, ...secrets } of rows) {
        const sealed = again(secrets, id);
        const one = tx.updateTable('webhooks').where('workspace_id', '=', workspace_id).where('id', '=', id);
        await one.set(sealed ? { ...sealed, secret_unreadable: false } : { secret_unreadable: true }).execute();
      }
      return rows.length < atOnce ? undefined : rows.at(-1)?.id;
    });
  }
  if (problem !== undefined) throw problem;
};
