import { setTimeout } from 'node:timers/promises';
import { unavailable } from '@cardinal/contracts';
import { findOperation } from '../store/operations/find-operation.ts';
import { Busy } from './busy.ts';
import type { Drive } from './drive.ts';
import type { Tools } from './tools.ts';

/** How long a writer helps others along before it gives up, ms (architecture, "Roll forward"). */
const helpMs = 2_000;

/** Tries an attempt again as often as it meets an operation under way, each time helping that one to its end first. */
export type Helping = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

/** Sets up help; `unavailable` where what is in the way does not end in time. */
export const createHelping =
  ({ db }: Pick<Tools, 'db'>, drive: Drive): Helping =>
  async (attempt) => {
    const giveUpAt = Date.now() + helpMs;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof Busy)) throw error;
        if (error.inTheWay) await help(error.inTheWay);
        if (Date.now() >= giveUpAt) throw stillUnderWay();
      }
    }

    async function help({ workspaceId, key }: NonNullable<Busy['inTheWay']>): Promise<void> {
      const operation = await db.read((tx) => findOperation(tx, workspaceId, key));
      // A refusal is its writer's to hear, not the helper's; a committed one stands in nobody's way.
      if (operation?.state === 'pending') await within(giveUpAt - Date.now(), drive(operation));
    }
  };

const stillUnderWay = () => unavailable('Another change of the same card is still under way');

const within = async <Result>(ms: number, promise: Promise<Result>): Promise<Result> => {
  const over = new AbortController();
  const timeout = setTimeout(Math.max(ms, 0), undefined, { signal: over.signal }).then(() => {
    throw stillUnderWay();
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    over.abort();
  }
};
