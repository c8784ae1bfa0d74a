import type { RequestContext } from './context.ts';

/** User ids are unique within a workspace. */
type Holder = NonNullable<RequestContext['caller']>;

/** How much may be held at once, and how many requests may wait. */
interface Limit {
  held: number;
  waiting: number;
}

/** What one request holds. */
export interface Share {
  /** Sets the amount once the real one is known. */
  resize(amount: number): void;
  /** Returns it. A second call has no effect. */
  release(): void;
}

/** The limit that stops a request: one of its user or workspace, or the one of all. */
export type Refusal = 'caller' | 'all';

interface Waiting {
  user: Account;
  /** Called each time it is needed: the amount may be known better by then. */
  amount(): number;
  grant(share: Share): void;
}

/** What one user, one workspace or all hold. */
interface Account {
  name: string;
  within: Account | undefined;
  /** The account and those that contain it: user, workspace, all. */
  line: Account[];
  most: Limit;
  held: number;
  waiting: number;
  members: Map<string, Account>;
  /** Members whose next request fits their own limit, in the order of service. */
  ready: Set<Account>;
  /** The requests of a user, first come first served. */
  requests: Waiting[];
}

/** The holder of work without a caller. */
const nobody: Holder = { workspaceId: '', userId: '' };

const newAccount = (name: string, most: Limit, within?: Account): Account => {
  const sets = { members: new Map(), ready: new Set<Account>(), requests: [] };
  const account: Account = { name, within, most, held: 0, waiting: 0, line: [], ...sets };
  account.line = [account, ...(within?.line ?? [])];
  return account;
};

/** Returns the account of a member, and creates it at first use. */
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
 * Enters a user and the workspace into the ready queues or removes them, and deletes accounts that neither hold nor
 * wait.
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
 * Shares a resource by workspace and, within each, by user, each up to a limit. Waiting requests are served round-robin
 * by workspace, and within each by user. So a busy user delays only themselves, and a workspace with many users only
 * itself. Work without a caller counts as one more workspace, without a limit of its own.
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

  /** The first in the queue waits until it fits: otherwise small requests would overtake a large one for ever. */
  const serve = () => {
    for (let next = nextOf(all); next && fits(all, next.amount()); next = nextOf(all)) {
      const { user, amount, grant } = next;
      user.requests.shift();
      count(user, 'waiting', -1);
      // User and workspace go to the end of their queues.
      for (const account of user.line) account.within?.ready.delete(account);
      const share = shareOf(user, amount());
      settle(user);
      grant(share);
    }
  };

  return {
    /**
     * Requests an amount, at once or queued. A user that holds nothing gets any amount.
     * @param amount how much, as far as it is known when the request is served
     * @param grant called with the share once it is granted
     * @param how.first goes before other requests of the same user
     * @returns undefined where it was granted at once; the refusal where the queue is full; otherwise a function that
     * ends the wait and returns the limit that it waited for
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
    /** The number of waiting requests. */
    waiting: () => all.waiting,
  };
};
