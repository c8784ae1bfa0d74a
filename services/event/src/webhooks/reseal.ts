import { sql } from 'kysely';
import type { WebhookContext } from './context.ts';

/** Rows of one transaction. */
const batchSize = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Re-encrypts secrets that were sealed with another than the current key, and deletes former secrets that no longer sign.
 * Sets `secret_unreadable` according to whether a key opens the secret.
 * @throws Error if a secret could not be opened, after all others are done
 */
export const resealSecrets = async ({
  db,
  vault,
  now,
}: Pick<WebhookContext, 'db' | 'vault' | 'now'>): Promise<void> => {
  await db.statement((tx) =>
    sql`update webhooks set former_secret = null where former_secret_until < ${now()} and former_secret is not null`.execute(
      tx,
    ),
  );
  const isSealedOtherwise = (column: 'secret' | 'former_secret') =>
    sql<boolean>`not starts_with(${sql.ref(column)}, ${vault.prefix})`;
  let problem: unknown;
  const resealed = ({ secret, former_secret }: { secret: string; former_secret: string | null }, id: string) => {
    const reseal = (sealed: string) => vault.seal(vault.open(sealed, id), id);
    try {
      return { secret: reseal(secret), former_secret: former_secret === null ? null : reseal(former_secret) };
    } catch (error) {
      problem ??= error;
      return undefined;
    }
  };
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const from: string = after;
    after = await db.transaction(async (tx) => {
      const rows = await tx
        .selectFrom('webhooks')
        .select(['workspace_id', 'id', 'secret', 'former_secret'])
        .where((eb) =>
          eb.or([isSealedOtherwise('secret'), isSealedOtherwise('former_secret'), eb('secret_unreadable', '=', true)]),
        )
        .where('id', '>', from)
        .orderBy('id')
        .limit(batchSize)
        .forNoKeyUpdate()
        .skipLocked()
        .execute();
      for (const { workspace_id, id, ...secrets } of rows) {
        const sealed = resealed(secrets, id);
        const one = tx.updateTable('webhooks').where('workspace_id', '=', workspace_id).where('id', '=', id);
        await one.set(sealed ? { ...sealed, secret_unreadable: false } : { secret_unreadable: true }).execute();
      }
      return rows.length < batchSize ? undefined : rows.at(-1)?.id;
    });
  }
  if (problem !== undefined) throw problem;
};
