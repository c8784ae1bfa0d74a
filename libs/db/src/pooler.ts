import type { Client } from 'pg';

/** Differs for each connection that a server has ever had. */
const backend = `select concat_ws(' ', pg_backend_pid(), pg_postmaster_start_time()) as backend`;

const backendOf = async (client: Client) => (await client.query<{ backend: string }>(backend)).rows[0]?.backend;

/** protocol_violation: PgBouncer refuses a transaction with it where it pools statements. */
const noTransactions = '08P01';

/**
 * While others use the pool, the first connection may get the same backend a few times by chance. A service that starts
 * waits for five queries a round.
 */
const rounds = 8;

/**
 * Whether a pooler in front of the server gives each transaction, or each statement, another connection. Then prepared
 * statements may be missing, and connections outlive a server, so its replacement goes undetected. Without a pooler, or
 * with one that pools sessions, two connections keep a backend each.
 */
export const poolsTransactions = async (first: Client, second: Client): Promise<boolean> => {
  const own = await backendOf(first);
  // A round-robin pooler gives the next connection. One that reuses the last connection gives it to the second client,
  // and the first one cannot get it back meanwhile.
  for (let round = 0; round < rounds; round += 1) {
    try {
      await second.query('begin');
    } catch (error) {
      if ((error as { code?: string }).code === noTransactions) return true;
      throw error;
    }
    if ((await backendOf(second)) === own || (await backendOf(first)) !== own) return true;
    await second.query('rollback');
    if ((await backendOf(first)) !== own) return true;
  }
  return false;
};
