import type { Bus } from '@cardinal/bus';
import { notePeople, type Visitor, visitorsAtOnce } from '@cardinal/contracts';
import { type Logger, sweeper } from '@cardinal/runtime';
import { LRUCache } from 'lru-cache';
import type { Claims, Principal } from './claims.ts';

/** Users in memory, how long they are not noted again, and how often notes are sent, ms. */
const [maxKept, againMs, sendMs] = [50_000, 600_000, 1_000];
/** Most notes that wait. Who is left out is noted with a later request. */
const maxWaiting = 10_000;

const isSame = (a: Claims, b: Claims | undefined): boolean => a.name === b?.name && a.email === b?.email;
const isEarlier = ({ issued_at: a }: Claims, b: Claims | undefined): boolean =>
  a !== null && typeof b?.issued_at === 'string' && a < b.issued_at;

/**
 * Notes who comes, and what their tokens call them, for the people of the workspace (CONTRACT 14.2). It costs a request a look into
 * memory; notes are sent in the background, many at once.
 */
export const createVisitors = (bus: Pick<Bus, 'call'>, logger: Logger) => {
  /** Claims of users who were noted lately; empty ones where they had none. */
  const noted = new LRUCache<string, Partial<Claims>>({ max: maxKept, ttl: againMs });
  const waiting = new Map<string, Visitor>();

  const send = async (): Promise<void> => {
    while (waiting.size > 0) {
      const some = [...waiting].slice(0, visitorsAtOnce);
      for (const [key] of some) waiting.delete(key);
      await bus.call(notePeople, { people: some.map(([, visit]) => visit) }).catch((error) => {
        for (const [key] of some) noted.delete(key);
        throw error;
      });
    }
  };
  const sending = sweeper({ name: 'visitors', intervalMs: sendMs, logger, run: send });

  return {
    note({ key, caller, claims }: Principal): void {
      const known = noted.get(key);
      if (known && (!claims || isSame(claims, known as Claims) || isEarlier(claims, known as Claims))) return;
      if (waiting.size >= maxWaiting) return;
      noted.set(key, claims ?? {});
      const said = claims ?? { name: null, email: null, issued_at: null };
      waiting.set(key, { ...caller, ...said, at: new Date().toISOString() });
    },
    stop: async (): Promise<void> => {
      await sending.stop();
      await send().catch(() => {});
    },
  };
};
