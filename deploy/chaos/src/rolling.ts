import { underLoad } from './clients.ts';
import type { Exchange } from './history.ts';
import type { System } from './system.ts';

export interface RollingOptions {
  system: System;
  seed: number;
  rounds: number;
  rate: number;
  report: (line: string) => void;
}

/** Whether a request failed or broke off. A client that gets no connection uses another gateway. */
const hasFailed = ({ answer, lost }: Pick<Exchange, 'answer' | 'lost'>) =>
  answer ? answer.status >= 500 : !lost?.startsWith('connect ');

/**
 * Restarts every instance, one after the other, `rounds` times, while clients work.
 * @returns every request that failed, except those that a stopped gateway did not accept: clients then use the other one
 */
export const roll = async ({ system, seed, rounds, rate, report }: RollingOptions) => {
  const exchanges: Omit<Exchange, 'id'>[] = [];
  await underLoad({ system, seed, rate, record: (exchange) => exchanges.push(exchange) }, async () => {
    for (let round = 1; round <= rounds; round += 1) {
      for (const instance of system.instances) {
        await instance.end();
        await instance.start();
        const left = await system.unready(60_000);
        if (left.length > 0) throw new Error(`not ready again after a restart: ${left.join('; ')}`);
      }
      report(`round ${round} of ${rounds}: ${exchanges.length} requests, ${exchanges.filter(hasFailed).length} failed`);
    }
  });
  return { requests: exchanges.length, failed: exchanges.filter(hasFailed) };
};
