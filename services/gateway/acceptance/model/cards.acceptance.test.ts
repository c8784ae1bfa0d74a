import { sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { clientOf } from '../workspace.ts';
import { CardModel, columns } from './card-model.ts';
import { type CardWorld, cardEpilogue, cardReads } from './card-reads.ts';
import { cardWrites } from './card-steps.ts';
import { Known } from './known.ts';
import { tellStories } from './story.ts';

const stack = await sharedStack();

/** A board with three columns, another one with a column, two workstreams beside MAIN. */
const start = async (): Promise<{ model: CardModel; real: CardWorld }> => {
  const client = await clientOf(stack);
  const writer = await clientOf(stack, { workspace: client.workspaceId, scope: 'kanban:read kanban:write' });
  const known = new Known();
  const make = (path: string, body: object) => client.data(client.post(path, { body }));
  known.meet('board', await make('/boards', { name: 'Board' }));
  const { id: other } = await make('/boards', { name: 'Other' });
  known.call('elsewhere', (await make(`/boards/${other}/columns`, { name: 'Elsewhere' })).id);
  for (const name of columns) {
    const column = await make(`/boards/${known.id('board')}/columns`, { name });
    known.meet(`column ${name}`, column);
    known.call(name, column.id);
  }
  for (const prefix of ['PAY', 'WEB']) known.call(prefix, (await client.createWorkstream(prefix)).id);
  const [main] = await client.all('/workstreams');
  expect(main.prefix).toBe('MAIN');
  known.call('MAIN', main.id);
  return { model: new CardModel(), real: { client, writer, known } };
};

it('cards keep to their rules in every story', () =>
  tellStories({ start, steps: [...cardWrites, cardReads], epilogue: cardEpilogue }));
