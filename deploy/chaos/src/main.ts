/**
 * Tries to break what Cardinal promises: drives a whole system with seeded clients, injects seeded faults, and judges
 * every answer.
 */
import { join } from 'node:path';
import { stateFolder } from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { type Bug, bugNamed, bugs } from './bugs.ts';
import { judge } from './checks/index.ts';
import { findBug, tableOf } from './find-bugs.ts';
import { readHistory, showOutcome, writeHistory } from './outcome.ts';
import { startProcesses } from './processes.ts';
import { report, showProgress } from './progress.ts';
import { roll } from './rolling.ts';
import { runChaos } from './run.ts';
import type { System } from './system.ts';

interface RunFlags {
  seed: number;
  minutes: number;
  instances: number;
  together?: boolean;
  faults: string[];
  rate: number;
  bug?: Bug;
  history?: string;
}

const numberFrom = (least: number, whole: boolean) => (text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && (!whole || Number.isSafeInteger(value))) return value;
  throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${least} on.`);
};
const names = (text: string) => text.split(',').map((name) => name.trim());
const bug = (text: string) => {
  try {
    return bugNamed(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

/** The running system, which the signal handler stops. */
let running: System | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    report('interrupted: stopping everything');
    void Promise.resolve(running?.stop()).finally(() => process.exit(130));
  });
}

/** @param isPlanted false: faults hit the same services, but the bug is not planted */
const start = (
  { instances, together = false, bug: planted }: RunFlags,
  logs: string,
  isPlanted = true,
): Promise<System> =>
  startProcesses({ instances, together, logs, bug: isPlanted ? planted?.name : undefined, hit: planted?.services });

const within = async <Result>(
  starting: Promise<System>,
  work: (system: System) => Promise<Result>,
): Promise<Result> => {
  running = await starting;
  try {
    return await work(running);
  } finally {
    await running.stop();
  }
};

/** The requested kinds of faults. @throws Error that lists the available kinds */
const kindsOf = ({ faults, impossible }: System, wanted: string[]): string[] => {
  if (wanted.join() === 'none') return [];
  const known = Object.keys(faults);
  for (const [kind, why] of Object.entries(impossible)) report(`NOT TRIED: ${kind}, ${why}`);
  if (wanted.join() === 'all') return known;
  const unknown = wanted.filter((kind) => !known.includes(kind));
  if (unknown.length === 0) return wanted;
  throw new Error(`there is no fault ${unknown.join(', ')} here; there are: all, none, ${known.join(', ')}`);
};

const run = async (flags: RunFlags) => {
  const { seed, minutes, instances, rate } = flags;
  const logs = join(stateFolder(), 'chaos', `seed-${seed}`);
  report(`seed ${seed}: starting ${instances} ${flags.together ? 'processes of all services' : 'of every service'}`);
  const { history, verdicts } = await within(start(flags, logs), (system) => {
    const kinds = kindsOf(system, flags.faults);
    report(`everything is ready; logs: ${logs}`);
    return runChaos({ system, seed, minutes, kinds, rate, report, watch: showProgress });
  });
  if (flags.history) writeHistory(flags.history, history);
  const args = process.argv.slice(2);
  const seeded = args.some((one) => one.startsWith('--seed')) ? args : [`--seed ${seed}`, ...args];
  const again = `npm run chaos -- ${seeded.join(' ')}`;
  process.exitCode = showOutcome(history, verdicts, logs, again) ? 0 : 1;
};

const program = new Command('chaos')
  .description('Tries to break what Cardinal promises, and reports how.')
  .option('--seed <n>', 'repeats the run of that seed', numberFrom(0, true), Math.floor(Math.random() * 2 ** 31))
  .option('--minutes <n>', 'how long faults are injected', numberFrom(0.1, false), 5)
  .option('--instances <n>', 'instances of every service', numberFrom(1, true), 2)
  .option('--together', 'runs all services in one process; --instances is then the number of these processes')
  .option('--faults <a,b>', 'kinds of faults, or all, or none', names, ['all'])
  .option('--rate <n>', 'requests a second of all clients together', numberFrom(1, false), 200)
  .option('--bug <name>', 'plants that bug in the services', bug)
  .option('--history <file>', 'writes every request and answer to that file')
  .allowExcessArguments(false)
  .action(run);

program
  .command('bugs [names...]')
  .description('plants each bug, or the named ones, and measures how long it takes to find it')
  .option('--control', 'the same rounds without the bugs: no rule may be broken')
  .action(async (wanted: string[], { control = false }: { control?: boolean }) => {
    const flags = program.opts<RunFlags>();
    const { seed, rate } = flags;
    const startWith = async (one: Bug) => {
      running = await start({ ...flags, bug: one }, join(stateFolder(), 'chaos', one.name), !control);
      return running;
    };
    const finds = [];
    for (const one of wanted.length > 0 ? wanted.map(bugNamed) : bugs) {
      finds.push(await findBug(one, { seed, rate, start: startWith, report }));
    }
    process.stdout.write(`${tableOf(finds)}\n`);
    process.exitCode = finds.every(({ rules }) => rules.length > 0 !== control) ? 0 : 1;
  });

program
  .command('rolling')
  .description('restarts every instance, one after the other, under load: no request may fail')
  .option('--rounds <n>', 'how often every instance is restarted', numberFrom(1, true), 10)
  .action(async ({ rounds }: { rounds: number }) => {
    const flags = program.opts<RunFlags>();
    const { seed, rate } = flags;
    const starting = start(flags, join(stateFolder(), 'chaos', 'rolling'));
    const { requests, failed } = await within(starting, (system) => roll({ system, seed, rounds, rate, report }));
    process.stdout.write(`${rounds} rounds, ${requests} requests, ${failed.length} failed\n`);
    for (const { method, path, gateway, answer, lost } of failed.slice(0, 20)) {
      process.stdout.write(`  ${method} ${path} by ${gateway}: ${answer?.status ?? lost}\n`);
    }
    process.exitCode = failed.length > 0 ? 1 : 0;
  });

program
  .command('judge <file>')
  .description('judges a recorded history again')
  .action((file: string) => {
    const history = readHistory(file);
    process.exitCode = showOutcome(history, judge(history), join(stateFolder(), 'chaos', 'judged')) ? 0 : 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  report(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
