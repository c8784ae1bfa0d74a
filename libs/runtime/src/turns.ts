import { unavailable } from '@cardinal/contracts';
import { currentContext } from './context.ts';

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

type Begin = () => void;

interface Workspace {
  running: number;
  /** What waits, by user; the user whose turn is next comes first. */
  waiting: Map<string, Set<Begin>>;
}

/** Stands for the workspace and the user of work without a caller: batches of many callers, sweepers, checks. */
const nobody = { workspaceId: '', userId: '' };

const toTheEnd = <Value>(queue: Map<string, Value>, key: string) => {
  const value = queue.get(key);
  if (value === undefined) return;
  queue.delete(key);
  queue.set(key, value);
};

const longestTimerMs = 2 ** 31 - 1;

/**
 * Shares a scarce resource: workspaces take turns, and within one its users, so no user waits behind all requests of
 * another. The current context names the caller; work without one takes turns like a workspace, but may use all the
 * capacity.
 */
export const createTurns = ({ atOnce, perWorkspace, patienceMs = longestTimerMs, busy }: TurnsOptions) => {
  // The workspace whose turn is next comes first.
  const workspaces = new Map<string, Workspace>();
  let running = 0;
  let waiting = 0;

  /** Takes one out of those that wait. */
  const leave = (workspace: Workspace, userId: string, begin: Begin) => {
    const ofUser = workspace.waiting.get(userId);
    waiting -= 1;
    ofUser?.delete(begin);
    if (ofUser?.size === 0) workspace.waiting.delete(userId);
  };

  const next = (): Begin | undefined => {
    for (const [id, workspace] of workspaces) {
      const [turn] = workspace.waiting;
      if (!turn || (id !== nobody.workspaceId && workspace.running >= perWorkspace)) continue;
      const [userId, [begin]] = turn;
      toTheEnd(workspaces, id);
      toTheEnd(workspace.waiting, userId);
      return begin;
    }
    return undefined;
  };

  const proceed = () => {
    for (let begin = running < atOnce && next(); begin; begin = running < atOnce && next()) begin();
  };

  /**
   * Waits for a turn.
   * @param how.first goes before other work of the same user, to finish what was begun
   * @returns a function that ends the turn, to be called once
   * @throws CardinalError `unavailable` where the turn does not come before the deadline
   */
  const take = ({ first = false } = {}): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const { caller = nobody, deadline = Number.POSITIVE_INFINITY } = currentContext() ?? {};
      const { workspaceId, userId } = caller;
      const workspace = workspaces.get(workspaceId) ?? { running: 0, waiting: new Map() };
      let begun = false;
      let timer: NodeJS.Timeout | undefined;
      const forget = () => {
        if (workspace.running === 0 && workspace.waiting.size === 0) workspaces.delete(workspaceId);
      };
      const end = () => {
        running -= 1;
        workspace.running -= 1;
        // Who came meanwhile had no turn yet.
        toTheEnd(workspaces, workspaceId);
        toTheEnd(workspace.waiting, userId);
        forget();
        proceed();
      };
      const begin = () => {
        begun = true;
        clearTimeout(timer);
        leave(workspace, userId, begin);
        running += 1;
        workspace.running += 1;
        resolve(end);
      };
      const giveUp = () => {
        leave(workspace, userId, begin);
        forget();
        reject(unavailable(busy));
      };
      workspaces.set(workspaceId, workspace);
      const ofUser = workspace.waiting.get(userId) ?? new Set();
      workspace.waiting.set(userId, first ? new Set([begin, ...ofUser]) : ofUser.add(begin));
      waiting += 1;
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
    waiting: () => waiting,
  };
};
