import { Command, InvalidArgumentError } from 'commander';
import { ConfigError } from './config.ts';
import { brokerChecks } from './doctor/checks/broker.ts';
import { checks } from './doctor/checks/index.ts';
import { mostDifferences } from './doctor/compare.ts';
import { examine, type Finding } from './doctor/examine.ts';
import { mendMore } from './doctor/mend.ts';
import { findPlace } from './doctor/place.ts';
import { openSources } from './doctor/sources.ts';
import { databaseOwners } from './services/provision.ts';
import { show } from './start/say.ts';

const mostTold = 20;

const parsePatience = (value: string) => {
  const seconds = Number(value);
  if (value !== '' && seconds >= 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds.');
};

const { repair, patience } = new Command('doctor')
  .description('Looks whether the services agree with each other; names what differs and exits 1.')
  .option('--repair', 'mends projections from what their owners say, and has lost events told again', false)
  .option('--patience <seconds>', 'how long a difference must last, since what is under way differs', parsePatience, 5)
  .allowExcessArguments(false)
  .parse()
  .opts<{ repair: boolean; patience: number }>();
const patienceMs = patience * 1000;

const tell = ({ check, differences }: Finding) => {
  show(`${differences.length === 0 ? 'ok      ' : 'DIFFERS '} ${check.name}`);
  for (const { what } of differences.slice(0, mostTold)) show(`           ${what}`);
  const more = differences.length - mostTold;
  if (more > 0) show(`           and ${differences.length < mostDifferences ? '' : 'at least '}${more} more`);
};

const showProgress = (tried: number) => void process.stderr.write(`mended ${tried} so far\n`);

const differing = (findings: readonly Finding[]) =>
  findings.filter(({ differences }) => differences.length > 0).map(({ check }) => check);

const run = async (): Promise<boolean> => {
  const { databaseUrls, natsUrl } = findPlace();
  const sources = openSources(databaseOwners, (service) => databaseUrls[service]);
  try {
    await sources.check();
    let findings = await examine([...checks, ...(natsUrl ? brokerChecks(natsUrl) : [])], sources, patienceMs);
    findings.forEach(tell);
    if (!natsUrl) show('skipped  the broker: NATS_URL names none');
    const { tried, failures } = repair ? await mendMore(findings, sources, showProgress) : { tried: 0, failures: [] };
    if (tried > 0) {
      findings = await examine(differing(findings), sources, patienceMs);
      show(`\nAfter the repair of ${tried} ${tried === 1 ? 'difference' : 'differences'}:`);
      findings.forEach(tell);
      for (const failure of failures) show(`FAILED   to mend ${failure}`);
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
