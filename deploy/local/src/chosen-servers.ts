import { brokerProblem, checkBroker } from '@cardinal/bus';
import { checkDatabase, databaseProblem } from '@cardinal/db';
import { publishedKeys } from '@cardinal/gateway/keys';
import { untilUsable } from '@cardinal/runtime';
import { ConfigError, ServiceFailure } from '@cardinal/servers';
import type { LocalConfig } from './config.ts';
import { reasonOf, say } from './supervise.ts';

/** How long a server of the user's may take that says that it is starting, ms. */
const patienceMs = 15_000;
/** How long the keys' server may take to answer, ms. */
const keysMs = 5_000;

export type Chosen = Pick<LocalConfig, 'databaseUrl' | 'broker' | 'keysPlace'>;

/**
 * Looks whether the servers will do that the user chose.
 * @throws ConfigError with a line for each that will not
 */
export const checkChosen = async ({ databaseUrl, broker, keysPlace }: Chosen): Promise<void> => {
  const checks = [
    ...(databaseUrl ? [() => checkDatabase(databaseUrl, { oldest: 16, mayCreate: true })] : []),
    ...(broker ? [() => checkBroker(broker, { jetStream: true })] : []),
    // The gateway is not ready without keys, and says so only in its log.
    ...(keysPlace ? [async () => void (await publishedKeys(keysPlace)(AbortSignal.timeout(keysMs)))] : []),
  ];
  const report = (problem: string) => say(`${problem}; waiting for ${patienceMs / 1000} s at most`);
  const outcomes = await Promise.allSettled(
    checks.map((check) => untilUsable(check, { kinds: ['starting'], patienceMs, report })),
  );
  const problems = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [reasonOf(outcome.reason)] : []));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
};

/** What a chosen server refused after it had passed the checks. */
export const explained = (error: unknown, { databaseUrl, broker }: Chosen): unknown => {
  if (!(error instanceof Error) || error instanceof ServiceFailure) return error;
  if (error.name === 'NatsError') return broker ? brokerProblem(error, broker) : error;
  return databaseUrl ? databaseProblem(error, databaseUrl) : error;
};
