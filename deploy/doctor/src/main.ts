import { databaseOwners } from '@cardinal/contracts';
import { ConfigError } from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { advance } from './advance.ts';
import { brokerChecks } from './checks/events.ts';
import { checks } from './checks/index.ts';
import { lostNumbers } from './checks/numbers.ts';
import { fallsOf, registerChecks } from './checks/register.ts';
import { maxDifferences } from './compare.ts';
import { readConfig } from './config.ts';
import { durability, durabilityWarnings } from './durability.ts';
import { examine, type Finding } from './examine.ts';
import { repairAll } from './repair.ts';
import { openSources } from './sources.ts';

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

const {
  repair,
  patience,
  advance: margin,
} = new Command('doctor')
  .description('Looks whether the services agree with each other; names what differs and exits 1.')
  .option('--repair', 'repairs projections from what their owners say, and publishes lost events again', false)
  .option('--patience <seconds>', 'how long a difference must last, since what is under way differs', parsePatience, 5)
  .option(
    '--advance <numbers>',
    'only sets every counter on, after a restore of everything; no service may run',
    parseMargin,
  )
  .allowExcessArguments(false)
  .parse()
  .opts<{ repair: boolean; patience: number; advance?: number }>();
const patienceMs = patience * 1000;

// The reader of our output may leave (`npm run doctor | head`).
process.stdout.on('error', () => {});
const show = (text: string) => process.stdout.write(`${text}\n`);

const report = ({ check, differences }: Finding) => {
  show(`${differences.length === 0 ? 'ok      ' : 'DIFFERS '} ${check.name}`);
  for (const { what } of differences.slice(0, maxShown)) show(`           ${what}`);
  const more = differences.length - maxShown;
  if (more > 0) show(`           and ${differences.length < maxDifferences ? '' : 'at least '}${more} more`);
};

const showProgress = (tried: number) => void process.stderr.write(`repaired ${tried} so far\n`);

const differing = (findings: readonly Finding[]) =>
  findings.filter(({ differences }) => differences.length > 0).map(({ check }) => check);

const run = async (): Promise<boolean> => {
  const { databaseUrls, broker } = readConfig();
  const sources = openSources(databaseOwners, (service) => databaseUrls[service]);
  try {
    await sources.check();
    if (margin !== undefined) {
      show(`${await advance(sources, margin)} workstreams: numbers go on at least ${margin} above what was granted`);
      return true;
    }
    let findings = await examine(
      [...checks, ...(broker ? [...brokerChecks(broker), ...registerChecks(broker)] : [])],
      sources,
      patienceMs,
    );
    findings.forEach(report);
    // What cannot be read is among the findings.
    const falls = broker ? await fallsOf(broker).catch(() => []) : [];
    for (const fall of falls) show(`fell     ${fall}`);
    for (const lost of await lostNumbers(sources)) show(`lost     ${lost}`);
    if (!broker) show('skipped  the broker: NATS_URL names none');
    const warnings = await durabilityWarnings(sources);
    show(`${warnings.length === 0 ? 'ok      ' : 'WARNING '} ${durability}`);
    for (const warning of warnings) show(`           ${warning}`);
    const { tried, failures } = repair ? await repairAll(findings, sources, showProgress) : { tried: 0, failures: [] };
    if (tried > 0) {
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
