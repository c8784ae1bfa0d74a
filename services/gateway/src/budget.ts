import type { Config } from './config.ts';

type Limits = Pick<
  Config,
  | 'BYTES_UNDER_WAY_PER_USER'
  | 'BYTES_UNDER_WAY_PER_WORKSPACE'
  | 'BYTES_UNDER_WAY'
  | 'WAITING_PER_USER'
  | 'WAITING_PER_WORKSPACE'
  | 'WAITING'
>;

/** Bytes taken by one request. */
export interface Share {
  /** What it really takes, once that is known. */
  resize(bytes: number): void;
  release(): void;
}

/** The owner of a share: a user is unique within the workspace. */
export interface Holder {
  workspace: string;
  user: string;
}

/** Why a share was refused: the limit of the user or of the workspace is reached, or the total is. */
export type Refusal = 'caller' | 'all';

interface Waiting {
  /** Asked again each time, as it may be known better by then. */
  bytes(): number;
  grant(share: Share): void;
}

/** What one user holds, and what is queued for them, first come first served. */
interface User {
  name: string;
  used: number;
  waiting: Waiting[];
}

interface Workspace {
  name: string;
  used: number;
  waiting: number;
  users: Map<string, User>;
  /** Users whose first waiting request fits into their own part. */
  ready: Set<User>;
}

const fits = (held: number, bytes: number, most: number) => held === 0 || held + bytes <= most;

/**
 * Bytes shared by workspaces and, within each, by its users, each up to its limit. Requests that have to wait are
 * served in turn, by workspace and within each by user, so a busy user delays only themselves, and a workspace with
 * many users only itself.
 */
export const createBudget = (config: Limits) => {
  const {
    BYTES_UNDER_WAY_PER_USER: perUser,
    BYTES_UNDER_WAY_PER_WORKSPACE: perWorkspace,
    BYTES_UNDER_WAY: inAll,
  } = config;
  const workspaces = new Map<string, Workspace>();
  /** Workspaces of whose users who wait the first one fits into their part. */
  const ready = new Set<Workspace>();
  let used = 0;
  let waiting = 0;

  const shareOf = (workspace: Workspace, user: User, first: number): Share => {
    let bytes = 0;
    const hold = (to: number) => {
      user.used += to - bytes;
      workspace.used += to - bytes;
      used += to - bytes;
      bytes = to;
    };
    const change = (to: number) => {
      if (to === bytes) return;
      hold(to);
      settle(workspace, user);
      serve();
    };
    hold(first);
    return { resize: change, release: () => change(0) };
  };

  /**
   * Puts a user and the workspace into their queues or takes them out, and forgets those that neither hold nor wait.
   */
  const settle = (workspace: Workspace, user: User) => {
    const [first] = user.waiting;
    if (first && fits(user.used, first.bytes(), perUser)) workspace.ready.add(user);
    else workspace.ready.delete(user);
    if (!first && user.used === 0) workspace.users.delete(user.name);

    const [next] = workspace.ready;
    if (next?.waiting[0] && fits(workspace.used, next.waiting[0].bytes(), perWorkspace)) ready.add(workspace);
    else ready.delete(workspace);
    if (workspace.users.size === 0) workspaces.delete(workspace.name);
  };

  /** The first in a queue waits for its room, or small requests would overtake a large one for ever. */
  const serve = () => {
    for (const workspace of ready) {
      const [user] = workspace.ready;
      const next = user?.waiting[0];
      if (!user || !next || !fits(used, next.bytes(), inAll)) return;
      user.waiting.shift();
      workspace.waiting -= 1;
      waiting -= 1;
      // Both go to the end of their queues.
      workspace.ready.delete(user);
      ready.delete(workspace);
      const share = shareOf(workspace, user, next.bytes());
      settle(workspace, user);
      next.grant(share);
    }
  };

  /** The accounts of a holder, created at first use. */
  const accountsOf = ({ workspace: name, user: userName }: Holder): [Workspace, User] => {
    const workspace = workspaces.get(name) ?? { name, used: 0, waiting: 0, users: new Map(), ready: new Set() };
    const user = workspace.users.get(userName) ?? { name: userName, used: 0, waiting: [] };
    workspaces.set(name, workspace);
    workspace.users.set(userName, user);
    return [workspace, user];
  };

  return {
    /**
     * Takes bytes, or waits for them in turn. A user who holds none gets any number of them.
     * @param bytes how many, as far as is known when it is its turn
     * @returns ends the wait, and says what it waited for; or why it may not even wait
     */
    take(holder: Holder, bytes: () => number, grant: (share: Share) => void): Refusal | (() => Refusal) {
      const [workspace, user] = accountsOf(holder);
      const fitsTheirs = () => fits(user.used, bytes(), perUser) && fits(workspace.used, bytes(), perWorkspace);
      const isNext = user.waiting.length === 0 && workspace.ready.size === 0 && ready.size === 0;
      if (isNext && fitsTheirs() && fits(used, bytes(), inAll)) {
        grant(shareOf(workspace, user, bytes()));
        return () => 'all';
      }
      const isFull = waiting >= config.WAITING;
      if (
        user.waiting.length >= config.WAITING_PER_USER ||
        workspace.waiting >= config.WAITING_PER_WORKSPACE ||
        isFull
      ) {
        settle(workspace, user);
        return isFull ? 'all' : 'caller';
      }
      const request = { bytes, grant };
      user.waiting.push(request);
      workspace.waiting += 1;
      waiting += 1;
      settle(workspace, user);
      return () => {
        const at = user.waiting.indexOf(request);
        if (at === -1) return 'all';
        const refusal = fitsTheirs() ? 'all' : 'caller';
        user.waiting.splice(at, 1);
        workspace.waiting -= 1;
        waiting -= 1;
        settle(workspace, user);
        serve();
        return refusal;
      };
    },
  };
};
