import { unavailable } from '@cardinal/contracts';
import { currentContext } from './context.ts';
import { countByWorkspace, currentOwner, nobody, turnQueue } from './turn-queue.ts';

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
 * Shares what is scarce: workspaces take turns, and within one its users (`turnQueue`). Whose work it is, the current
 * context says; work of nobody takes turns like a workspace, but may take all the room that there is.
 */
export const createTurns = ({ atOnce, perWorkspace, patienceMs = longestTimerMs, busy }: TurnsOptions) => {
  const queue = turnQueue<() => void>();
  const underWay = countByWorkspace();
  let running = 0;

  const mayHave = (workspaceId: string) =>
    workspaceId === nobody.workspaceId || underWay.of(workspaceId) < perWorkspace;
  const next = () => (running < atOnce ? queue.next(mayHave) : undefined);
  const proceed = () => {
    for (let begin = next(); begin; begin = next()) begin();
  };

  /**
   * Waits for a turn.
   * @param how.first whether it comes before what the same user waits for: to end what was begun
   * @returns what ends it, to be called once
   * @throws CardinalError `unavailable` where the turn does not come before the deadline
   */
  const take = (how?: { first: boolean }): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const owner = currentOwner();
      const deadline = currentContext()?.deadline ?? Number.POSITIVE_INFINITY;
      let begun = false;
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        running -= 1;
        underWay.change(owner.workspaceId, -1);
        queue.passed(owner);
        proceed();
      };
      const begin = () => {
        begun = true;
        clearTimeout(timer);
        running += 1;
        underWay.change(owner.workspaceId, 1);
        resolve(end);
      };
      const giveUp = () => {
        queue.remove(owner, begin);
        reject(unavailable(busy));
      };
      queue.add(owner, begin, how);
      proceed();
      if (!begun) timer = setTimeout(giveUp, Math.min(deadline - Date.now(), patienceMs));
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
    waiting: queue.size,
  };
};
