import * as api from '@cardinal/contracts';
import type { ApiKey, Client } from '../client.ts';
import { requestFor } from '../send.ts';

interface KeepOptions {
  until: AbortSignal;
  /** The mean pause between two steps, ms. */
  meanPauseMs: number;
}

/** Requests with revoked keys, after each revocation. */
const triesOfRevoked = 3;

/**
 * Creates API keys, uses each, revokes it, and goes on trying those that were revoked: no gateway may accept them
 * (`checks/api-keys.ts`).
 */
export const keepKeys = async (client: Client, { until, meanPauseMs }: KeepOptions): Promise<void> => {
  const rest = () => client.wait((client.random.int(0, 2_000) / 1_000) * meanPauseMs);
  const use = (key: ApiKey) => client.withKey(key, requestFor(api.listApiKeys, [], { query: 'limit=1' }));
  const revoked: ApiKey[] = [];
  while (!until.aborted) {
    const body = { name: client.name(), scope: 'kanban:write' };
    const { id, text } = (await client.ask(api.createApiKey, [], { body })).answer?.body.apiKey ?? {};
    // The text is lost with the first answer.
    if (id !== undefined && text) {
      await use({ id, text });
      await rest();
      await client.ask(api.revokeApiKey, [id]);
      revoked.push({ id, text });
    }
    for (let tries = 0; tries < triesOfRevoked && revoked.length > 0; tries += 1) {
      await rest();
      await use(client.random.chance(0.5) ? (revoked.at(-1) as ApiKey) : client.random.pick(revoked));
    }
    await rest();
  }
};
