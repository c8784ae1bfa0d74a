import type { Event, EventTypeFilter } from '@cardinal/client/source';
import { eventTypeFilter } from '@cardinal/contracts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { suggest, takesList } from '../completion/words.ts';
import { stopped, UsageError } from '../errors.ts';
import { openDirectory } from '../names/directory.ts';
import { collect } from '../operations/options.ts';
import { wholeNumber } from '../operations/values.ts';
import { isForPerson } from '../print.ts';
import { connect, type Session } from '../session.ts';
import { eventLine } from './line.ts';

interface Options {
  follow?: true;
  last?: number;
  after?: number;
  order: 'asc' | 'desc';
  types?: EventTypeFilter[];
  board?: string[];
  card?: string;
}

const usualLast = 20;

const collectTypes = (text: string, former: string[] = []) => {
  const types = text.split(',');
  const unknown = types.find((type) => !eventTypeFilter.safeParse(type).success);
  if (unknown === undefined) return [...former, ...types];
  throw new InvalidArgumentError(`There is no type "${unknown}"; there are ${eventTypeFilter.options.join(', ')}.`);
};

/** Calls back until the process is asked to stop with Ctrl-C. @returns whether it was */
const untilStopped = async (run: (signal: AbortSignal) => Promise<void>): Promise<boolean> => {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    await run(stop.signal);
  } finally {
    process.off('SIGINT', onSignal);
  }
  return stop.signal.aborted;
};

const printEvents = async (session: Session, options: Options): Promise<void> => {
  const { follow, last, after, order, types, board, card } = options;
  if (last !== undefined && after !== undefined) throw new UsageError('--last and --after are two ways to begin');
  if (follow && order === 'desc') throw new UsageError('--follow shows events as they come; it has no --order desc');
  const client = connect(session);
  const directory = openDirectory(client);
  const boards = board && (await Promise.all(board.map((one) => directory.idOf('board', one))));
  const filters = { types, board_id: boards, card };
  const print = (event: Event) => console.log(isForPerson(session) ? eventLine(event) : JSON.stringify(event));
  let begin = after;
  if (after === undefined && (!follow || last !== undefined)) {
    const newest = await client.events.list({ ...filters, order: 'desc' }).all({ limit: last ?? usualLast });
    (order === 'desc' ? newest : newest.toReversed()).forEach(print);
    begin = newest[0]?.seq;
  } else if (!follow) {
    for await (const event of client.events.list({ ...filters, after, order })) print(event);
  }
  if (!follow) return;
  if (isForPerson(session)) console.error('following; Ctrl-C ends it');
  const isStopped = await untilStopped(async (signal) => {
    for await (const event of client.events.follow({ ...filters, after: begin, signal })) print(event);
  });
  if (isStopped) session.exitCode = stopped;
};

/** `cardinal events`, beside `cardinal events list` of the declaration: the last ones, and those that come. */
export const addEvents = (program: Command, session: Session): void => {
  const events = program.commands.find((one) => one.name() === 'events') ?? program.command('events');
  const about = 'only these: card.moved, card.*; commas between them, or repeatable';
  const types = takesList(suggest(new Option('--types <type>', about), eventTypeFilter.options)).argParser(
    collectTypes,
  );
  // What has options of its own and commands would take theirs.
  const recent = events
    .command('recent', { isDefault: true })
    .summary('The last events, or with --follow those that come; "cardinal events" is the same')
    .description('The last events, or with --follow those that come.')
    .option('--follow', 'shows what happens from now on, as it happens, until Ctrl-C')
    .option('--last <n>', `begins with the last ones (default: ${usualLast}; none with --follow)`, wholeNumber(0))
    .option('--after <seq>', 'begins with what has a greater number', wholeNumber(0))
    .addOption(
      new Option('--order <order>', 'asc is oldest first, desc newest first').choices(['asc', 'desc']).default('asc'),
    )
    .addOption(types)
    .option('--board <board>', 'only of this board (repeatable)', collect)
    .option('--card <card>', 'only of this card, by any identifier')
    .action((options: Options) => printEvents(session, options));
  events.addHelpText('after', () => `\n${recent.createHelp().formatHelp(recent, recent.createHelp())}`);
};
