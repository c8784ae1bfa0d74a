import * as api from '@cardinal/contracts';
import type { ApiKey, Client } from '../client.ts';
import { requestFor } from '../send.ts';

interface KeepOptions {
  until: AbortSignal;
  /** The mean pause between two steps, ms. */
  meanPauseMs: number;
}

/** Active keys of a keeper. Those that are revoked during a rollback of the databases were active at its beginning. */
const mostActive = 8;
/** Requests with revoked keys, after each revocation. */
const triesOfRevoked = 3;
/** Of the revoked keys, the newest are tried most often: their revocation is the one that a rollback undoes. */
const newest = 16;

/**
 * Creates API keys, uses each, revokes the oldest of eight, and goes on trying those that were revoked: no gateway may
 * accept them (`checks/api-keys.ts`).
 */
export const keepKeys = async (client: Client, { until, meanPauseMs }: KeepOptions): Promise<void> => {
  const rest = () => client.wait((client.random.int(0, 2_000) / 1_000) * meanPauseMs);
  const use = (key: ApiKey) => client.withKey(key, requestFor(api.listApiKeys, [], { query: 'limit=1' }));
  const active: ApiKey[] = [];
  const revoked: ApiKey[] = [];
  while (!until.aborted) {
    const body = { name: client.name(), scope: 'kanban:write' };
    const { id, text } = (await client.ask(api.createApiKey, [], { body })).answer?.body.apiKey ?? {};
    // The text is lost with the first answer.
    if (id !== undefined && text) {
      await use({ id, text });
      active.push({ id, text });
    }
    await rest();
    const oldest = active.length > mostActive ? active.shift() : undefined;
    if (oldest) {
      // A gateway that remembers the key has to forget it.
      await use(oldest);
      await client.ask(api.revokeApiKey, [oldest.id]);
      revoked.push(oldest);
    }
    for (let tries = 0; tries < triesOfRevoked && revoked.length > 0; tries += 1) {
      await rest();
      await use(client.random.pick(client.random.chance(0.7) ? revoked.slice(-newest) : revoked));
    }
    await rest();
  }
};
