import { runClients } from './clients.ts';
import type { Exchange } from './history.ts';
import { randomOf } from './random.ts';
import type { System } from './system.ts';

export interface RollingOptions {
  system: System;
  seed: number;
  rounds: number;
  rate: number;
  tell: (line: string) => void;
}

const clients = 24;

/** A request that was answered with a failure, or broke off under way; who finds no connection goes to another gateway. */
const hasFailed = ({ answer, lost }: Exchange) => (answer ? answer.status >= 500 : !lost?.startsWith('connect '));

/**
 * Starts every instance anew, one after the other, as often as `rounds` says, while clients work.
 * @returns every request that failed; one that a gateway which is away turned away counts as none, since clients go to
 * the other one
 */
export const roll = async ({ system, seed, rounds, rate, tell }: RollingOptions) => {
  const random = randomOf(seed);
  const exchanges: Exchange[] = [];
  const over = new AbortController();
  const begun = Promise.withResolvers<void>();
  const load = runClients({
    system,
    random: random.fork('clients'),
    clients,
    ratePerSecond: rate,
    until: over.signal,
    record: (exchange) => {
      exchanges.push({ id: exchanges.length, ...exchange });
      if (exchange.client < clients) begun.resolve();
    },
  });
  try {
    await Promise.race([begun.promise, load]);
    for (let round = 1; round <= rounds; round += 1) {
      await system.rollAll();
      tell(`round ${round} of ${rounds}: ${exchanges.length} requests, ${exchanges.filter(hasFailed).length} failed`);
    }
    over.abort();
    await load;
    return { requests: exchanges.length, failed: exchanges.filter(hasFailed) };
  } finally {
    over.abort();
  }
};
