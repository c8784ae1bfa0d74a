import { sharedStack } from '@cardinal/testkit';
import fc from 'fast-check';
import { it } from 'vitest';
import { type Answer, type Body, type Client, clientOf } from '../workspace.ts';
import { type Board, boardOf, boards, cards, DependencyModel, type Name, type User } from './dependency-model.ts';
import { Known } from './known.ts';
import { headerOf, type Step, type Steps, tellStories } from './story.ts';

interface World {
  ann: Client;
  bob: Client;
  known: Known;
}
type One = Step<DependencyModel, World>;

const stack = await sharedStack();

/** Ann's two boards with a card each of the model's, and Bob, who sees one of them at first. */
const start = async (): Promise<{ model: DependencyModel; real: World }> => {
  const ann = await clientOf(stack);
  const bob = await clientOf(stack, { workspace: ann.workspaceId });
  const known = new Known();
  known.call('PAY', (await ann.createWorkstream('PAY')).id);
  const columns: Partial<Record<Board, string>> = {};
  for (const name of boards) {
    const body = { name, visibility: name === 'Open' ? 'workspace' : 'private' };
    const board = await ann.data(ann.post('/boards', { body }));
    known.meet(name, board);
    columns[name] = (await ann.data(ann.post(`/boards/${board.id}/columns`, { body: { name: 'To do' } }))).id;
  }
  for (const name of cards) known.meet(name, await ann.createCard(columns[boardOf(name)] as string, name));
  return { model: new DependencyModel(), real: { ann, bob, known } };
};

const cardOf = (data: Body) => ({
  identifier: data.identifier,
  completed: data.completed_at !== null,
  archived: data.archived_at !== null,
});
const readCard = ({ known }: World, { body: { data } }: Answer) => ({
  version: known.meet(data.title, data),
  ...cardOf(data),
});
const edge = ({ known }: World, name: Name, on: Name) => `/cards/${known.id(name)}/dependencies/${known.id(on)}`;
/** A write of Ann's on a card. */
const write = (
  told: string,
  name: Name,
  rest: Pick<One, 'predict'> & { send: (path: string, ifMatch: string, real: World) => Promise<Answer> },
): One => ({
  told,
  predict: rest.predict,
  send: (real) =>
    rest.send(`/cards/${real.known.id(name)}`, headerOf('current', real.known.last(name)?.version) as string, real),
  read: readCard,
});

const depend = (by: User, name: Name, on: Name): One => ({
  told: `${by}: ${name} depends on ${on}`,
  predict: (model) => model.depend(by, name, on),
  send: (real) => real[by].put(edge(real, name, on)),
  read: ({ known }, { body: { data } }) => ({
    card: known.name(data.card_id),
    on: known.name(data.depends_on_card_id),
  }),
});

const release = (by: User, name: Name, on: Name): One => ({
  told: `${by}: ${name} depends on ${on} no more`,
  predict: (model) => model.release(by, name, on),
  send: (real) => real[by].delete(edge(real, name, on)),
});

const complete = (name: Name, completed: boolean): One =>
  write(`${completed ? 'complete' : 'reopen'}(${name})`, name, {
    predict: (model) => model.complete(name, completed),
    send: (path, ifMatch, { ann }) => ann.patch(path, { ifMatch, body: { completed } }),
  });

const archive = (name: Name): One =>
  write(`archive(${name})`, name, {
    predict: (model) => model.archive(name),
    send: (path, ifMatch, { ann }) => ann.post(`${path}/archive`, { ifMatch }),
  });

const transfer = (name: Name): One =>
  write(`transfer(${name} -> PAY)`, name, {
    predict: (model) => model.transfer(name),
    send: (path, ifMatch, { ann, known }) =>
      ann.post(`${path}/workstream`, { ifMatch, body: { workstream_id: known.id('PAY') } }),
  });

const remove = (name: Name): One =>
  write(`delete(${name})`, name, {
    predict: (model) => model.delete(name),
    send: (path, ifMatch, { ann }) => ann.delete(path, { ifMatch }),
  });

const deleteBoard = (board: Board): One => ({
  told: `deleteBoard(${board})`,
  possible: ({ deletedBoards }) => !deletedBoards.has(board),
  predict: (model) => model.deleteBoard(board),
  send: ({ ann, known }) => ann.delete(`/boards/${known.id(board)}`, { ifMatch: known.last(board).version }),
});

const share = (shared: boolean): One => ({
  told: `${shared ? 'share' : 'hide'}(Hers)`,
  possible: ({ deletedBoards }) => !deletedBoards.has('Hers'),
  predict: (model) => model.share(shared),
  send: ({ ann, known }) => {
    const body = { visibility: shared ? 'workspace' : 'private' };
    return ann.patch(`/boards/${known.id('Hers')}`, { ifMatch: known.last('Hers').version, body });
  },
  read: ({ known }, { body: { data } }) => {
    known.meet('Hers', data);
    return data.visibility;
  },
});

const list = (by: User, name: Name, end: 'dependencies' | 'dependents'): One => ({
  told: `${by}: ${end}(${name})`,
  predict: (model) => model.list(by, name, end),
  send: (real) => real[by].get(`/cards/${real.known.id(name)}/${end}`),
  read: ({ known }, { body: { data } }) =>
    data.map(({ card }: Body) => ({ name: known.name(card.id), ...cardOf(card) })),
});

/** How many cards a card waits for, and how many wait for it, as in a look-up. */
const count = (by: User, name: Name): One => ({
  told: `${by}: count(${name})`,
  predict: (model) => model.count(by, name),
  send: (real) => real[by].get(`/cards/by-identifier/${real.known.last(name).identifier}`),
  read: (_, { body: { data } }) => [data.reference.dependency_count, data.reference.dependent_count],
});

const blocked = (by: User, board: Board, is: boolean): One => ({
  told: `${by}: ${is ? 'blocked' : 'not blocked'}(${board})`,
  predict: (model) => model.blocked(by, board, is),
  send: (real) => real[by].get(`/boards/${real.known.id(board)}/cards?blocked=${is}`),
  read: ({ known }, { body: { data } }) => data.map(({ id }: Body) => known.name(id)).sort(),
});

const by = fc.constantFrom('ann' as const, 'bob' as const);
const some = fc.constantFrom(...cards);
const board = fc.constantFrom(...boards);
const end = fc.constantFrom('dependencies' as const, 'dependents' as const);
const ofAnn = fc.constant('ann' as const);
const steps: Steps<DependencyModel, World>[] = [
  fc.tuple(ofAnn, some, some).map((all) => depend(...all)),
  fc.tuple(ofAnn, some, some).map((all) => depend(...all)),
  fc.tuple(by, some, some).map((all) => depend(...all)),
  fc.tuple(by, some, some).map((all) => release(...all)),
  fc.tuple(some, fc.boolean()).map((all) => complete(...all)),
  fc.oneof(some.map(archive), some.map(remove), some.map(transfer)),
  fc.oneof({ weight: 3, arbitrary: fc.boolean().map(share) }, { weight: 1, arbitrary: board.map(deleteBoard) }),
  fc.tuple(by, some, end).map((all) => list(...all)),
  fc.tuple(by, some).map((all) => count(...all)),
  fc.tuple(by, board, fc.boolean()).map((all) => blocked(...all)),
];

/** Everything from both ends, and what Bob sees of it. */
const epilogue = (): One[] => [
  ...cards.flatMap((name) => [list('ann', name, 'dependencies'), list('ann', name, 'dependents')]),
  ...cards.map((name) => count(boardOf(name) === 'Open' ? 'bob' : 'ann', name)),
  ...cards.map((name) => list('bob', name, 'dependencies')),
  ...boards.map((name) => blocked('ann', name, true)),
];

it('dependencies keep to their rules in every story', () => tellStories({ start, steps, epilogue }));
