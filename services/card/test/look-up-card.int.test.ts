import {
  archiveBoard,
  type Card,
  deleteBoard,
  deleteCard,
  lookUpCard,
  projectDependency,
  replyOf,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { rememberDocuments } from '../src/cards/documents.ts';
import { cardReader } from '../src/cards/read.ts';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { startIdentifierDouble } from './support/identifier-double.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
await startIdentifierDouble(fixture.natsUrl);
const { bus } = fixture;
const { db } = (fixture.instances[0] as (typeof fixture.instances)[number]).parts;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing');
  const made = (await workspace.cards(columns[0]?.id ?? '', 'A', 'B', 'C')) as [Card, Card, Card];
  const depend = (from: Card, to: Card) =>
    bus.call(projectDependency, dependencyEvent(workspace.who.workspace_id, [from.id, to.id]));
  const lookUp = (card_id: string) => bus.call(lookUpCard, { ...workspace.who, card_id });
  return { workspace, board, made, depend, lookUp };
};

it('tells the card, its board and how many cards wait for which', async () => {
  const { workspace, board, made, depend, lookUp } = await setUp();
  const [a, b, c] = made;
  await depend(a, b);
  await depend(a, c);
  await depend(b, c);
  const none = { board_name: 'Board', board_archived_at: null, board_deleted_at: null, deleted_at: null };
  expect(await lookUp(a.id)).toEqual({ card: a, reference: { ...none, dependency_count: 2, dependent_count: 0 } });
  expect((await lookUp(b.id)).reference).toMatchObject({ dependency_count: 1, dependent_count: 1 });
  expect((await lookUp(c.id)).reference).toMatchObject({ dependency_count: 0, dependent_count: 2 });

  const archived = await bus.call(archiveBoard, { ...workspace.order(), board_id: board.id, if_match: [1] });
  expect((await lookUp(a.id)).reference).toMatchObject({ board_archived_at: archived.resource.archived_at });
  await bus.call(deleteBoard, { ...workspace.order(), board_id: board.id, if_match: [2] });
  expect((await lookUp(a.id)).reference).toMatchObject({ board_deleted_at: expect.any(String) });
});

it('is not found for a card that is unknown, deleted or of another workspace', async () => {
  const { workspace, made, lookUp } = await setUp();
  const [a] = made;
  const stranger = openWorkspace(bus).who;
  await bus.call(deleteCard, { ...workspace.order(), card_id: made[1].id, if_match: [1] });
  const gone = { code: 'not_found' };
  await expect(lookUp(v7())).rejects.toMatchObject(gone);
  await expect(lookUp(made[1].id)).rejects.toMatchObject(gone);
  await expect(bus.call(lookUpCard, { ...stranger, card_id: a.id })).rejects.toMatchObject(gone);
});

it('asks the database once for lookups that arrive together, of whatever workspace', async () => {
  const [one, other] = await Promise.all([setUp(), setUp()]);
  let queries = 0;
  const read: typeof db.read = (fn) => {
    queries += 1;
    return db.read(fn);
  };
  const { lookUp } = cardReader({ db: { ...db, read } }, rememberDocuments(db));
  const requests = [one, other].flatMap(({ workspace, made }) =>
    made.map((card) => ({ ...workspace.who, card_id: card.id })),
  );
  const unknown = lookUp({ ...one.workspace.who, card_id: v7() }).catch((error) => error.code);
  const answers = await Promise.all(requests.map((request) => lookUp(request)));
  expect(answers.map((answer) => (replyOf(answer) as { card: Card }).card)).toEqual([...one.made, ...other.made]);
  expect(await unknown).toBe('not_found');
  expect(queries).toBe(1);
});
