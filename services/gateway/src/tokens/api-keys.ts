import type { Bus } from '@cardinal/bus';
import {
  apiKeysEnded,
  CardinalError,
  hashOf,
  noteUseOfApiKeys,
  type VerifiedKey,
  verifyApiKeys,
  workspaceOf,
} from '@cardinal/contracts';
import { coalesce, type Logger, sweeper } from '@cardinal/runtime';
import { LRUCache } from 'lru-cache';
import { type Principal, principalOfKey } from './claims.ts';

/** Keys in memory, and how often their use is noted, ms. */
const [maxKept, noteMs] = [10_000, 60_000];
/** Most keys of one note. */
const notedAtOnce = 500;

interface Text {
  workspace_id: string;
  hash: string;
}

const refused = () => new CardinalError('unauthenticated', 'The API key is not valid, has expired or was revoked');

/**
 * Verifies API keys, and keeps the results. A key costs one SHA-256 then; unknown ones are asked for together. A key that ends
 * before its time is forgotten at the signal of the access service, and after `maxAgeMs` in any case.
 */
export const createApiKeys = (
  bus: Pick<Bus, 'call' | 'onSignal'>,
  { maxAgeMs, logger }: { maxAgeMs: number; logger: Logger },
) => {
  const verified = new LRUCache<string, Principal>({ max: maxKept, ttl: maxAgeMs });
  const used = new Map<string, { workspace_id: string; id: string; at: number }>();
  /** Rises with each end: an answer that was asked for before is not kept. */
  let ends = 0;

  const asking = coalesce<Text, VerifiedKey | null>({
    name: 'api_keys',
    concurrency: 2,
    run: async (texts) => (await bus.call(verifyApiKeys, { texts })).keys,
  });
  bus.onSignal(apiKeysEnded, ({ keys }) => {
    ends += 1;
    const ended = new Set(keys.map(({ id }) => id));
    for (const [hash, { apiKey }] of verified.entries()) if (apiKey && ended.has(apiKey.id)) verified.delete(hash);
  });

  const noteUse = async () => {
    const some = [...used.values()].slice(0, notedAtOnce);
    if (some.length === 0) return;
    for (const { id } of some) used.delete(id);
    const shown = some.map(({ at, ...key }) => ({ ...key, at: new Date(at).toISOString() }));
    await bus.call(noteUseOfApiKeys, { used: shown });
  };
  const noting = sweeper({ name: 'api-key-use', intervalMs: noteMs, logger, run: noteUse });

  const note = ({ apiKey, caller: { workspace_id } }: Principal): void => {
    const noted = apiKey && used.get(apiKey.id);
    if (noted) noted.at = Date.now();
    else if (apiKey) used.set(apiKey.id, { workspace_id, id: apiKey.id, at: Date.now() });
  };

  const verify = async (text: Text): Promise<Principal> => {
    const before = ends;
    const key = await asking.submit(text);
    if (!key) throw refused();
    const principal = principalOfKey(text.workspace_id, key);
    if (before === ends) verified.set(text.hash, principal);
    note(principal);
    return principal;
  };

  return {
    /**
     * The caller of a request by its key: from memory, or a function that verifies it, which rejects with `unauthenticated`, or
     * `unavailable` where the access service does not answer.
     * @throws CardinalError `unauthenticated` where the text is no key
     */
    known(text: string): Principal | (() => Promise<Principal>) {
      const hash = hashOf(text);
      const principal = verified.get(hash);
      if (principal && principal.expiresAt > Date.now()) {
        note(principal);
        return principal;
      }
      const workspace_id = workspaceOf(text);
      if (workspace_id === undefined) throw refused();
      return () => verify({ workspace_id, hash });
    },
    /** Notes what was used since the last note. */
    stop: async (): Promise<void> => {
      await noting.stop();
      await noteUse().catch(() => {});
    },
  };
};
