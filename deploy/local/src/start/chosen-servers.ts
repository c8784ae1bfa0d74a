import { brokerProblem, checkBroker } from '@cardinal/bus';
import { checkDatabase, databaseProblem } from '@cardinal/db';
import { connectionProblem, ServerProblem, untilUsable } from '@cardinal/runtime';
import { ConfigError, type LocalConfig } from '../config.ts';
import { ServiceFailure } from '../services/failure.ts';
import { say } from './say.ts';

/** How long a server of the user's may take that says that it is starting, ms. */
const patienceMs = 15_000;
/** How long the keys' server may take to answer, ms. */
const keysMs = 5_000;

/** What the user may have chosen in place of ours. */
export type Chosen = Pick<LocalConfig, 'databaseUrl' | 'natsUrl' | 'keysUrl'>;

/**
 * Looks whether the servers will do that the user chose.
 * @throws ConfigError with a line for each that will not
 */
export const checkChosen = async ({ databaseUrl, natsUrl, keysUrl }: Chosen): Promise<void> => {
  const checks = [
    ...(databaseUrl ? [() => checkDatabase(databaseUrl, { oldest: 16, mayCreate: true })] : []),
    ...(natsUrl ? [() => checkBroker(natsUrl, { jetStream: true })] : []),
    ...(keysUrl ? [() => checkKeys(keysUrl)] : []),
  ];
  const tell = (problem: string) => say(`${problem}; waiting for ${patienceMs / 1000} s at most`);
  const outcomes = await Promise.allSettled(
    checks.map((check) => untilUsable(check, { kinds: ['starting'], patienceMs, tell })),
  );
  const problems = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [reasonOf(outcome.reason)] : []));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
};

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The gateway is not ready without keys, and says so only in its log. */
const checkKeys = async (url: string): Promise<void> => {
  const wrong = (cause: string) =>
    new ServerProblem('wrong', `JWKS_URL: ${cause}; it must be where the issuer publishes its keys`);
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw wrong('is no URL of http or https');
  const { host } = new URL(url);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(keysMs) });
    const { keys } = response.ok ? ((await response.json()) as { keys?: unknown }) : {};
    if (!Array.isArray(keys)) throw wrong(`${host} answers ${response.status} without keys`);
  } catch (error) {
    if (error instanceof ServerProblem) throw error;
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    throw connectionProblem('JWKS_URL', host, code) ?? wrong(`${host} gives no keys (${reasonOf(error)})`);
  }
};

/** What a chosen server refused after it had passed the checks. */
export const explained = (error: unknown, { databaseUrl, natsUrl }: Chosen): unknown => {
  if (!(error instanceof Error) || error instanceof ServiceFailure) return error;
  if (error.name === 'NatsError') return natsUrl ? brokerProblem(error, natsUrl) : error;
  return databaseUrl ? databaseProblem(error, databaseUrl) : error;
};
