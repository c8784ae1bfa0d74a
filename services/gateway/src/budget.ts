import type { Config } from './config.ts';

type Limits = Pick<Config, 'BYTES_UNDER_WAY_PER_USER' | 'BYTES_UNDER_WAY' | 'WAITING_PER_USER' | 'WAITING'>;

/** Bytes that somebody holds. */
export interface Share {
  /** What it really takes, once that is known. */
  resize(bytes: number): void;
  release(): void;
}

/** Why a share was refused: the caller's own part is full, or everything is. */
export type Refusal = 'caller' | 'all';

interface Waiting {
  /** Asked again each time, as it may be known better by then. */
  bytes(): number;
  grant(share: Share): void;
}

/** What one caller holds, and what he waits for, first come first. */
interface Account {
  caller: string;
  used: number;
  waiting: Waiting[];
}

/**
 * Bytes shared by callers: no one holds more than his part, and those who wait get theirs in turn, one after the other
 * by caller, so that one who asks much delays himself alone.
 */
export const createBudget = (config: Limits) => {
  const { BYTES_UNDER_WAY_PER_USER: perCaller, BYTES_UNDER_WAY: inAll } = config;
  const accounts = new Map<string, Account>();
  /** Callers whose first waiting request fits into their own part. */
  const ready = new Set<Account>();
  let used = 0;
  let waiting = 0;

  const fits = (held: number, bytes: number, most: number) => held === 0 || held + bytes <= most;
  const fitsCaller = (account: Account, bytes: number) => fits(account.used, bytes, perCaller);

  const shareOf = (account: Account, first: number): Share => {
    let bytes = 0;
    const hold = (to: number) => {
      account.used += to - bytes;
      used += to - bytes;
      bytes = to;
    };
    const change = (to: number) => {
      if (to === bytes) return;
      hold(to);
      settle(account);
      serve();
    };
    hold(first);
    return { resize: change, release: () => change(0) };
  };

  /** Puts a caller into the row or takes him out, and forgets who neither holds nor waits. */
  const settle = (account: Account) => {
    const [first] = account.waiting;
    if (first && fitsCaller(account, first.bytes())) ready.add(account);
    else ready.delete(account);
    if (!first && account.used === 0) accounts.delete(account.caller);
  };

  /** The first in the row waits for its room: else small requests would overtake a large one for ever. */
  const serve = () => {
    for (const account of ready) {
      const [next] = account.waiting;
      if (!next || !fits(used, next.bytes(), inAll)) return;
      account.waiting.shift();
      waiting -= 1;
      ready.delete(account);
      const share = shareOf(account, next.bytes());
      settle(account);
      next.grant(share);
    }
  };

  return {
    /**
     * Takes bytes, or waits for them in turn. Whoever holds nothing gets any number of them.
     * @param bytes how many, as far as is known when it is its turn
     * @returns ends the wait, and says what it waited for; or why it may not even wait
     */
    take(caller: string, bytes: () => number, grant: (share: Share) => void): Refusal | (() => Refusal) {
      const account = accounts.get(caller) ?? { caller, used: 0, waiting: [] };
      accounts.set(caller, account);
      const isNext = account.waiting.length === 0 && ready.size === 0;
      const requested = bytes();
      if (isNext && fitsCaller(account, requested) && fits(used, requested, inAll)) {
        grant(shareOf(account, requested));
        return () => 'all';
      }
      if (account.waiting.length >= config.WAITING_PER_USER) return 'caller';
      if (waiting >= config.WAITING) {
        settle(account);
        return 'all';
      }
      const request = { bytes, grant };
      account.waiting.push(request);
      waiting += 1;
      settle(account);
      return () => {
        const at = account.waiting.indexOf(request);
        if (at === -1) return 'all';
        const refusal = fitsCaller(account, bytes()) ? 'all' : 'caller';
        account.waiting.splice(at, 1);
        waiting -= 1;
        settle(account);
        serve();
        return refusal;
      };
    },
  };
};
