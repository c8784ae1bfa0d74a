import { unavailable } from '@cardinal/contracts';
import { currentContext } from './context.ts';
import { createFairQueue, type Share } from './fair-queue.ts';

interface TurnsOptions {
  /** How much may be under way at once. */
  atOnce: number;
  /** How much of that may be of one workspace. */
  perWorkspace: number;
  /** The longest that anybody waits, ms, where the deadline leaves more. */
  patienceMs?: number | undefined;
  /** The message for those who waited in vain. */
  busy: string;
}

const longestTimerMs = 2 ** 31 - 1;

/**
 * A fair queue (`createFairQueue`) of what the current context names the caller of. Work without one may use all the
 * capacity.
 */
export const createTurns = ({ atOnce, perWorkspace, patienceMs = longestTimerMs, busy }: TurnsOptions) => {
  const limit = (held: number) => ({ held, waiting: Number.POSITIVE_INFINITY });
  const ofWorkspace = limit(perWorkspace);
  const queue = createFairQueue({ user: ofWorkspace, workspace: ofWorkspace, all: limit(atOnce) });

  /**
   * Waits for a turn.
   * @param how.first goes before other work of the same user, to finish what was begun
   * @returns a function that ends the turn
   * @throws CardinalError `unavailable` where the turn does not come before the deadline
   */
  const take = (how?: { first: boolean }): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const { caller, deadline = Number.POSITIVE_INFINITY } = currentContext() ?? {};
      let timer: NodeJS.Timeout | undefined;
      const begin = ({ release }: Share) => {
        clearTimeout(timer);
        resolve(release);
      };
      const leave = queue.take(caller, () => 1, begin, how);
      if (typeof leave !== 'function') return;
      const giveUp = () => {
        leave();
        reject(unavailable(busy));
      };
      timer = setTimeout(giveUp, Math.min(deadline - Date.now(), patienceMs));
    });

  return {
    take,
    /** Does something when its turn comes. @throws CardinalError as `take` */
    run: async <T>(work: () => Promise<T>, how?: { first: boolean }): Promise<T> => {
      const end = await take(how);
      try {
        return await work();
      } finally {
        end();
      }
    },
    /** How much waits for its turn. */
    waiting: queue.waiting,
  };
};
