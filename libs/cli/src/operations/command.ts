import { type HttpOperation, listCards, searchCards, tags } from '@cardinal/contracts';
import type { Command } from 'commander';
import { openDirectory } from '../names/directory.ts';
import { connect, type Session } from '../session.ts';
import { answer, usualMost } from './answer.ts';
import { places } from './ask.ts';
import { prepareCall, readBody } from './call.ts';
import { exampleLine } from './example.ts';
import { withInput } from './input.ts';
import { declare, type Input, inputsOf, valuesOf } from './options.ts';
import { checkPeople, takesPart } from './people.ts';
import { wholeNumber } from './values.ts';

/** What a command has beside the arguments of its operation. */
interface Extra {
  body?: string;
  board?: string;
  mine?: true;
  limit?: number;
  all?: true;
  merge?: true;
  yes?: true;
}

const declareExtra = (command: Command, operation: HttpOperation, all: readonly Input[]): void => {
  const has = (field: string) => all.some((input) => input.field === field);
  if (has('column_id') && !has('board_id')) command.option('--board <board>', 'the board of the column');
  if (operation.query.shape.assignee_user_id) command.option('--mine', 'the same as --assignee me');
  if (operation.body && !all.some(({ name }) => name === 'body'))
    command.option('--body <json>', 'the whole body: JSON, a file of it, or - for standard input; options win over it');
  if (operation.method === 'PATCH')
    command.option('--merge', 'send it again where others changed other fields since it was read');
  if (all.some((input) => takesPart(operation, input)))
    command.option('--yes', 'take a user whom nobody is known by, without asking');
  if (operation.reply.kind !== 'page') return;
  command.option('--limit <n>', `as many rows at most (default: ${usualMost}, and says so)`, wholeNumber(1));
  command.option('--all', 'all rows');
};

/** The cards of all boards where no board is named: what `cards list` does without one. */
const withoutBoard = (operation: HttpOperation, given: readonly (readonly [Input, unknown])[]): HttpOperation =>
  operation.id === listCards.http.id && !given.some(([{ field }]) => field === 'board_id')
    ? searchCards.http
    : operation;

const withMine = (all: readonly Input[], given: [Input, unknown][], { mine }: Extra): [Input, unknown][] => {
  const assignee = all.find(({ field }) => field === 'assignee_user_id');
  return mine && assignee ? [...given, [assignee, 'me']] : given;
};

const run = async (session: Session, operation: HttpOperation, all: readonly Input[], command: Command) => {
  const extra = command.opts<Extra>();
  const typed = withMine(all, valuesOf(all, command.processedArgs, extra), extra);
  const client = connect(session);
  const directory = openDirectory(client);
  const isField = all.some(({ name }) => name === 'body');
  const given = await withInput(typed, !isField && extra.body === '-');
  const whole = extra.body === undefined || isField ? {} : await readBody(extra.body, session.directory);
  const asked = withoutBoard(operation, given);
  const call = await prepareCall(directory, asked, { all, given, whole, board: extra.board });
  if (!extra.yes) await checkPeople(directory, asked, given, whole);
  await answer({ session, client, directory }, asked, {
    call,
    limit: extra.all ? Number.POSITIVE_INFINITY : extra.limit,
    merge: extra.merge,
  });
};

const first = (text: string) => text.replace(/(\.(?= |$)|:).*/s, '');

/** Adds the command of an operation. */
export const addOperation = (parent: Command, session: Session, operation: HttpOperation, name: string): Command => {
  const { summary, description, scope } = operation;
  const all = inputsOf(operation);
  const command = parent
    .command(name)
    .summary(summary)
    .description([`${summary}.`, description, `Needs ${scope}.`].filter(Boolean).join(' '));
  declare(command, all);
  declareExtra(command, operation, all);
  command.addHelpText('after', () => `\nExample:\n  ${exampleLine(command, operation)}`);
  return command.action(() => run(session, operation, all, command));
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What people say of people. */
const shortFor: Readonly<Record<string, string>> = { 'people get': 'show', 'people update': 'edit' };

/** A command for each declared operation, by resource: `cards add-label` is `cards.addLabel` of the client. */
export const addOperations = (program: Command, session: Session): void => {
  for (const { operation, group, method } of places) {
    const known = program.commands.find((one) => one.name() === group);
    const parent = known ?? program.command(group).helpGroup('Resources:').description(first(tags[operation.tag]));
    const command = addOperation(parent, session, operation, kebab(method));
    const alias = shortFor[`${group} ${method}`];
    if (alias) command.alias(alias);
  }
};
