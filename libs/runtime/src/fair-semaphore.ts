import { unavailable } from '@cardinal/contracts';
import { currentContext } from './context.ts';
import { createFairQueue, type Share } from './fair-queue.ts';

interface SemaphoreOptions {
  /** How many may run at once. */
  atOnce: number;
  /** How many of them may be of one workspace. */
  perWorkspace: number;
  /** Longest wait, ms, where the deadline allows more. */
  patienceMs?: number | undefined;
  /** The message of the refusal after that. */
  busy: string;
}

const longestTimerMs = 2 ** 31 - 1;

/**
 * A semaphore with a fair queue (`createFairQueue`), by the caller of the current context. Work without a caller may
 * use all the capacity.
 */
export const createFairSemaphore = ({ atOnce, perWorkspace, patienceMs = longestTimerMs, busy }: SemaphoreOptions) => {
  const limit = (held: number) => ({ held, waiting: Number.POSITIVE_INFINITY });
  const ofWorkspace = limit(perWorkspace);
  const queue = createFairQueue({ user: ofWorkspace, workspace: ofWorkspace, all: limit(atOnce) });

  /**
   * Waits for a permit.
   * @param how.first goes before other work of the same user, to finish what has begun
   * @returns a function that returns the permit
   * @throws CardinalError `unavailable` where no permit is free before the deadline
   */
  const acquire = (how?: { first: boolean }): Promise<() => void> =>
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
    acquire,
    /** Runs `work` with a permit. @throws CardinalError as `acquire` */
    run: async <T>(work: () => Promise<T>, how?: { first: boolean }): Promise<T> => {
      const end = await acquire(how);
      try {
        return await work();
      } finally {
        end();
      }
    },
    /** The number of waiting requests. */
    waiting: queue.waiting,
  };
};
