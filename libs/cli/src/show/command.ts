import { stripVTControlCharacters } from 'node:util';
import { isIdentifier, moveCard, transferCard } from '@cardinal/contracts';
import type { Command } from 'commander';
import { explain } from '../errors.ts';
import { eventLine } from '../events/line.ts';
import { openPeople } from '../names/people.ts';
import { addOperation } from '../operations/command.ts';
import { isForPerson, pairs, printParts, several } from '../print.ts';
import { connect, type Session } from '../session.ts';
import { brief } from '../tables.ts';
import { readWhole, type Whole } from './read.ts';

/** The heading of what is asked most, in the program's help. */
const cards = 'Cards:';

const lines = (
  { card, board, column, labels, identifiers, dependencies, dependents, events }: Whole,
  assignees: readonly string[],
): string[] => {
  const former = identifiers.filter(({ is_current }) => !is_current);
  const ends = (all: Whole['dependencies']) =>
    all.map(
      ({ card: { identifier, title, completed_at } }) => `${identifier}  ${title}${completed_at ? ' (done)' : ''}`,
    );
  const state = card.archived_at ? 'archived' : card.completed_at ? `done since ${brief(card.completed_at)}` : 'open';
  const fields: [string, string][] = [
    ['where', [board, column].filter(Boolean).join(' / ')],
    ['state', state],
    ['workstream', `${card.workstream.prefix} (${card.workstream.name})`],
    ['priority', brief(card.priority)],
    ['due', brief(card.due_date)],
    ['labels', labels.join(', ')],
    ['assigned to', assignees.join(', ')],
    ['subtasks', card.subtask_total > 0 ? `${card.subtask_completed} of ${card.subtask_total} done` : ''],
    ['comments', card.comment_count > 0 ? several(card.comment_count, 'comment') : ''],
    [
      'formerly',
      former
        .map(({ identifier, superseded_at }) => `${identifier}  until ${brief(superseded_at) || 'it came here'}`)
        .join('\n'),
    ],
    ['waits for', ends(dependencies).join('\n')],
    ['waited for by', ends(dependents).join('\n')],
    ['last events', (events ?? []).map((event) => stripVTControlCharacters(eventLine(event))).join('\n')],
    ['description', card.description ?? ''],
    ['version', String(card.version)],
  ];
  return [`${card.identifier}  ${card.title}`, ...pairs(fields.filter(([, value]) => value !== ''))];
};

/** `cardinal show`: a card with what hangs on it. */
export const addShow = (program: Command, session: Session): void => {
  program
    .command('show')
    .helpGroup(cards)
    .summary('Show a card with what hangs on it')
    .description(
      'Shows a card: where it is, every identifier that it had, what it waits for and what waits for it, its last events.',
    )
    .argument('<card>', 'an identifier that it has or ever had, in any letter case, or its id')
    .addHelpText('after', '\nExample:\n  cardinal show PAY-7')
    .action(async (text: string) => {
      const client = connect(session);
      const whole = await readWhole(client, text, (error) => {
        const reason = explain(error, session) ?? (error as Error).message;
        console.error(`the last events could not be read: ${reason}`);
      });
      const { identifier, assignee_user_ids } = whole.card;
      if (isIdentifier(text) && text.toUpperCase() !== identifier)
        console.error(`${text} is called ${identifier} today`);
      const { nameOf } = openPeople(client);
      const assignees = isForPerson(session) ? await Promise.all(assignee_user_ids.map(nameOf)) : [];
      printParts(session, whole, () => lines(whole, assignees));
    });
};

/** `cardinal move`, short for `cardinal cards move`. */
export const addMove = (program: Command, session: Session): void => {
  addOperation(program, session, moveCard.http, 'move').helpGroup(cards);
};

/** `cardinal transfer`, short for `cardinal cards transfer`. */
export const addTransfer = (program: Command, session: Session): void => {
  addOperation(program, session, transferCard.http, 'transfer').helpGroup(cards);
};
