import type { RequestContext } from './context.ts';

/** A user is unique within the workspace. */
type Holder = NonNullable<RequestContext['caller']>;

/** How much may be held at once, and how many requests may wait for it. */
interface Limit {
  held: number;
  waiting: number;
}

/** The part of one request. */
export interface Share {
  /** Sets how much it really takes, once that is known. */
  resize(amount: number): void;
  /** Ends it; twice is once. */
  release(): void;
}

/** What stands in the way of a request: a limit of its user or of its workspace, or the one of all. */
export type Refusal = 'caller' | 'all';

interface Waiting {
  user: Account;
  /** Asked again each time, as it may be known better by then. */
  amount(): number;
  grant(share: Share): void;
}

/** What all hold, or one workspace of them, or one user of that. */
interface Account {
  name: string;
  within: Account | undefined;
  /** The account itself and those around it: of a user, the workspace and all. */
  line: Account[];
  most: Limit;
  held: number;
  waiting: number;
  members: Map<string, Account>;
  /** Members whose next request fits into their own part; whose turn is next comes first. */
  ready: Set<Account>;
  /** What is queued for a user, first come first served. */
  requests: Waiting[];
}

/** Stands for work without a caller. */
const nobody: Holder = { workspaceId: '', userId: '' };

const newAccount = (name: string, most: Limit, within?: Account): Account => {
  const sets = { members: new Map(), ready: new Set<Account>(), requests: [] };
  const account: Account = { name, within, most, held: 0, waiting: 0, line: [], ...sets };
  account.line = [account, ...(within?.line ?? [])];
  return account;
};

/** The account of a member, opened at first use. */
const memberOf = (within: Account, name: string, most: Limit): Account => {
  const known = within.members.get(name);
  if (known) return known;
  const member = newAccount(name, most, within);
  within.members.set(name, member);
  return member;
};

const count = ({ line }: Account, what: 'held' | 'waiting', by: number): void => {
  for (const account of line) account[what] += by;
};

const fits = ({ held, most }: Account, amount: number): boolean => held === 0 || held + amount <= most.held;

const nextOf = ({ ready, requests }: Account): Waiting | undefined => {
  const [member] = ready;
  return member ? nextOf(member) : requests[0];
};

/**
 * Puts a user and the workspace into their queues or takes them out, and forgets those that neither hold nor wait.
 */
const settle = ({ line }: Account): void => {
  for (const account of line) {
    const { within, name, held, waiting } = account;
    const next = nextOf(account);
    if (next && fits(account, next.amount())) within?.ready.add(account);
    else within?.ready.delete(account);
    if (held === 0 && waiting === 0) within?.members.delete(name);
  }
};

/**
 * Shares something by workspace and, within each, by user, each up to a limit. Requests that have to wait are served in turn,
 * by workspace and within each by user, so a busy user delays only themselves, and a workspace with many users only itself.
 * Work without a caller takes turns like a workspace, but may use all there is.
 */
export const createFairQueue = (limits: { user: Limit; workspace: Limit; all: Limit }) => {
  const all = newAccount('', limits.all);

  const accountOf = (holder: Holder | undefined): Account => {
    const { workspace, user } = holder ? limits : { workspace: limits.all, user: limits.all };
    const { workspaceId, userId } = holder ?? nobody;
    return memberOf(memberOf(all, workspaceId, workspace), userId, user);
  };

  const shareOf = (user: Account, first: number): Share => {
    let amount = first;
    count(user, 'held', first);
    const resize = (to: number) => {
      if (to === amount) return;
      count(user, 'held', to - amount);
      amount = to;
      settle(user);
      serve();
    };
    return { resize, release: () => resize(0) };
  };

  /** The first in the queue waits for its room, or small requests would overtake a large one for ever. */
  const serve = () => {
    for (let next = nextOf(all); next && fits(all, next.amount()); next = nextOf(all)) {
      const { user, amount, grant } = next;
      user.requests.shift();
      count(user, 'waiting', -1);
      // Both go to the end of their queues.
      for (const account of user.line) account.within?.ready.delete(account);
      const share = shareOf(user, amount());
      settle(user);
      grant(share);
    }
  };

  return {
    /**
     * Takes a part, at once or in turn. A user who holds nothing gets any amount.
     * @param amount how much, as far as is known when it is its turn
     * @param how.first goes before other requests of the same user
     * @returns undefined where it was granted at once; why it may not even wait; or what ends the wait and says what it
     *   waited for
     */
    take(
      holder: Holder | undefined,
      amount: () => number,
      grant: (share: Share) => void,
      { first = false } = {},
    ): undefined | Refusal | (() => Refusal) {
      const user = accountOf(holder);
      const { line } = user;
      const isNext = user.requests.length === 0 && line.every(({ ready }) => ready.size === 0);
      if (isNext && line.every((account) => fits(account, amount()))) {
        grant(shareOf(user, amount()));
        return undefined;
      }
      const full = line.filter(({ waiting, most }) => waiting >= most.waiting);
      if (full.length > 0) {
        settle(user);
        return full.includes(all) ? 'all' : 'caller';
      }
      const request = { user, amount, grant };
      if (first) user.requests.unshift(request);
      else user.requests.push(request);
      count(user, 'waiting', 1);
      settle(user);
      return () => {
        const refusal = line.some((account) => account !== all && !fits(account, amount())) ? 'caller' : 'all';
        const at = user.requests.indexOf(request);
        if (at === -1) return refusal;
        user.requests.splice(at, 1);
        count(user, 'waiting', -1);
        settle(user);
        serve();
        return refusal;
      };
    },
    /** How many requests wait. */
    waiting: () => all.waiting,
  };
};
