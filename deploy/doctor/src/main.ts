import { setTimeout as pause } from 'node:timers/promises';
import { databaseOwners, timestamp } from '@cardinal/contracts';
import { ConfigError } from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { requestAdvance, waitingForAdvance } from './advance.ts';
import { checks } from './checks/index.ts';
import { lostNumbers } from './checks/numbers.ts';
import { acknowledge, acknowledged, registerChecks, rollbacksOf, unacknowledgedOf } from './checks/register.ts';
import { maxDifferences } from './compare.ts';
import { readConfig } from './config.ts';
import { durability, durabilityWarnings } from './durability.ts';
import { examine, type Finding } from './examine.ts';
import { repairAll } from './repair.ts';
import { revokeKeysBefore } from './revoke-keys.ts';
import { openSources, type Sources } from './sources.ts';

const maxShown = 20;

const parsePatience = (value: string) => {
  const seconds = Number(value);
  if (value !== '' && seconds >= 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds.');
};

const parseMargin = (value: string) => {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number above 0.');
};

const parseTime = (value: string) => {
  const parsed = timestamp.safeParse(value);
  if (parsed.success) return new Date(parsed.data);
  throw new InvalidArgumentError('It must be a time like 2030-01-02T09:30:00Z.');
};

const {
  repair,
  patience,
  advance,
  restoredBefore,
  acknowledge: isAcknowledged,
  revokeKeysBefore: keysBefore,
} = new Command('doctor')
  .description('Compares the data of the services with each other; lists differences and exits 1.')
  .option('--repair', 'has projections rebuilt from what their owners say', false)
  .option('--patience <seconds>', 'how long a difference must last, since what is under way differs', parsePatience, 5)
  .option(
    '--advance [numbers]',
    'only has every counter set on by at least so many (1,000): before the next start, or by the services that run',
    parseMargin,
  )
  .option('--restored-before <times>', 'with --advance: how often the same backup was restored before', parseMargin)
  .option(
    '--acknowledge',
    'only notes that an operator knows that numbers skipped a margin, or which keys may be valid again',
    false,
  )
  .option('--revoke-keys-before <time>', 'only revokes all API keys that were created before the time', parseTime)
  .allowExcessArguments(false)
  .parse()
  .opts<{
    repair: boolean;
    patience: number;
    advance?: number | true;
    restoredBefore?: number;
    acknowledge: boolean;
    revokeKeysBefore?: Date;
  }>();
const patienceMs = patience * 1000;

// The reader of our output may exit first (`npm run doctor | head`).
process.stdout.on('error', () => {});
const show = (text: string) => process.stdout.write(`${text}\n`);

const report = ({ check, differences }: Finding) => {
  show(`${differences.length === 0 ? 'ok      ' : 'DIFFERS '} ${check.name}`);
  for (const { what } of differences.slice(0, maxShown)) show(`           ${what}`);
  const more = differences.length - maxShown;
  if (more > 0) show(`           and ${differences.length < maxDifferences ? '' : 'at least '}${more} more`);
};

const showProgress = (tried: number) => void process.stderr.write(`repaired ${tried} so far\n`);

const showRevoked = (revoked: number) => void process.stderr.write(`revoked ${revoked} so far\n`);

const differing = (findings: readonly Finding[]) =>
  findings.filter(({ differences }) => differences.length > 0).map(({ check }) => check);

/** A second more than a running service needs. */
const advanceMs = 5_000;

const advanceCounters = async (sources: Sources): Promise<void> => {
  const { workstreams, logs, margin } = await requestAdvance(
    sources,
    advance === true ? undefined : advance,
    restoredBefore,
  );
  show(
    `${workstreams} workstreams and ${logs} logs continue at least ${margin} above what they gave out; more where one of them ` +
      'gave out more than a tenth of that on a day of the last 30, and for each day begun since the last write',
  );
  const until = Date.now() + advanceMs;
  let waiting = await waitingForAdvance(sources);
  while (waiting.length > 0 && Date.now() < until) {
    await pause(250);
    waiting = await waitingForAdvance(sources);
  }
  show(waiting.length === 0 ? 'done' : `noted: ${waiting.join(', ')} do it at their next start, before any number`);
};

const warn = (rule: string, warnings: readonly string[]) => {
  show(`${warnings.length === 0 ? 'ok      ' : 'WARNING '} ${rule}`);
  for (const warning of warnings) show(`           ${warning}`);
};

const run = async (): Promise<boolean> => {
  const { databaseUrls, broker } = readConfig();
  const sources = openSources(databaseOwners, (service) => databaseUrls[service]);
  try {
    await sources.check();
    if (advance !== undefined) {
      await advanceCounters(sources);
      return true;
    }
    if (isAcknowledged) {
      if (!broker) throw new ConfigError('NATS_URL is not set: the register of the broker stores the acknowledgement');
      await acknowledge(broker);
      show('acknowledged');
      return true;
    }
    if (keysBefore) {
      if (!broker)
        throw new ConfigError('NATS_URL is not set: the register of the broker stores that keys are revoked');
      const count = await revokeKeysBefore(sources, broker, keysBefore, showRevoked);
      show(
        `revoked ${count} ${count === 1 ? 'API key' : 'API keys'} from before ${keysBefore.toISOString()}; gateways refuse them ` +
          'within KEYS_MAX_AGE_MS (a minute)',
      );
      return true;
    }
    let findings = await examine([...checks, ...(broker ? registerChecks(broker) : [])], sources, patienceMs);
    findings.forEach(report);
    // A database that cannot be read is among the findings.
    const rollbacks = broker ? await rollbacksOf(broker).catch(() => []) : [];
    for (const rollback of rollbacks) show(`rollback ${rollback}`);
    for (const lost of await lostNumbers(sources)) show(`lost     ${lost}`);
    if (!broker) show('skipped  the broker: NATS_URL names none');
    if (broker) warn(acknowledged, await unacknowledgedOf(broker).catch(() => []));
    warn(durability, await durabilityWarnings(sources));
    const nothing = { tried: 0, failures: [], left: 0 };
    const { tried, failures, left } = repair ? await repairAll(findings, sources, showProgress) : nothing;
    if (tried > 0) {
      const projections = `${left} ${left === 1 ? 'projection' : 'projections'}`;
      if (left > 0)
        show(`\nnoted, and not rebuilt yet: ${projections}; services do it while they run, or their logs say why not`);
      findings = await examine(differing(findings), sources, patienceMs);
      show(`\nAfter the repair of ${tried} ${tried === 1 ? 'difference' : 'differences'}:`);
      findings.forEach(report);
      for (const failure of failures) show(`FAILED   to repair ${failure}`);
    }
    return findings.every(({ differences }) => differences.length === 0);
  } finally {
    await sources.close();
  }
};

try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
