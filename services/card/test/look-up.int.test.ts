import {
  archiveBoard,
  type Card,
  deleteBoard,
  deleteCard,
  getCard,
  getCardByIdentifier,
  projectDependency,
} from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { rememberDocuments } from '../src/cards/documents.ts';
import { formerIdentifiers } from '../src/cards/former-identifiers.ts';
import { cardFinder, lookUpIdentifiers } from '../src/cards/look-up.ts';
import { transfer } from './support/builders.ts';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus, identifier: identifiers } = fixture;
const { db } = fixture.instance;

afterEach(() => {
  identifiers.beforeResolve = async () => {};
  identifiers.resolved.length = 0;
});

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing');
  const made = (await workspace.cards(columns[0]?.id ?? '', 'A', 'B', 'C')) as [Card, Card, Card];
  const depend = (from: Card, to: Card) =>
    bus.call(projectDependency, dependencyEvent(workspace.who.workspace_id, [from.id, to.id]));
  const lookUp = (identifier: string, { who }: Workspace = workspace) =>
    bus.call(getCardByIdentifier, { ...who, identifier });
  return { workspace, board, made, depend, lookUp };
};

/** A card that was transferred, as it is now, where the ledger knows its former identifier. */
const transferred = async () => {
  const { workspace, made, ...more } = await setUp();
  const { workspace_id } = workspace.who;
  const web = identifiers.add(workspace_id, 'WEB');
  const { resource: card } = await transfer(fixture, workspace.who, made[0], web.id);
  await eventually(() => {
    expect(identifiers.recorded(workspace_id)).toHaveLength(4);
  });
  await eventually(async () => {
    const waiting = db.read((tx) => tx.selectFrom('issued').selectAll().where('recorded_at', 'is', null).execute());
    expect((await waiting).filter((row) => row.workspace_id === workspace_id)).toEqual([]);
  });
  // As the purge does after some days.
  await db.read((tx) => tx.deleteFrom('issued').where('workspace_id', '=', workspace_id).execute());
  return { workspace, card, former: made[0].identifier, ...more };
};

const gone = { code: 'not_found', message: 'Card not found' };

it('tells the card, its board and how many cards wait for which', async () => {
  const { workspace, board, made, depend, lookUp } = await setUp();
  const [a, b, c] = made;
  await depend(a, b);
  await depend(a, c);
  await depend(b, c);
  const none = { board_name: 'Board', board_archived_at: null, board_deleted_at: null, deleted_at: null };
  expect(await lookUp(a.identifier)).toEqual({
    card: a,
    reference: { ...none, dependency_count: 2, dependent_count: 0 },
    resolved_identifier: a.identifier,
    is_alias: false,
    current_identifier: a.identifier,
  });
  expect((await lookUp(b.identifier)).reference).toMatchObject({ dependency_count: 1, dependent_count: 1 });
  expect((await lookUp(c.identifier)).reference).toMatchObject({ dependency_count: 0, dependent_count: 2 });

  const archived = await bus.call(archiveBoard, { ...workspace.order(), board_id: board.id, if_match: [1] });
  expect((await lookUp(a.identifier)).reference).toMatchObject({ board_archived_at: archived.resource.archived_at });
  await bus.call(deleteBoard, { ...workspace.order(), board_id: board.id, if_match: [2] });
  expect((await lookUp(a.identifier)).reference).toMatchObject({ board_deleted_at: expect.any(String) });
});

it('is not found for what is unknown, deleted or of another workspace', async () => {
  const { workspace, made, lookUp } = await setUp();
  const [a, b] = made;
  await bus.call(deleteCard, { ...workspace.order(), card_id: b.id, if_match: [1] });
  await expect(lookUp('MAIN-4')).rejects.toMatchObject(gone);
  await expect(lookUp(b.identifier)).rejects.toMatchObject(gone);
  await expect(lookUp(a.identifier, openWorkspace(bus))).rejects.toMatchObject(gone);
});

describe('a spelling', () => {
  it('in any letter case is that of an identifier, and comes back', async () => {
    const { card, former, lookUp } = await transferred();
    for (const [spelling, is_alias] of [
      ['web-1', false],
      [former.toLowerCase(), true],
      ['Main-1', true],
    ] as const) {
      const told = { card, resolved_identifier: spelling, is_alias, current_identifier: 'WEB-1' };
      expect(await lookUp(spelling)).toMatchObject(told);
    }
  });

  it.each(['MAIN', 'MAIN-', 'MAIN-0', 'MAIN-01', 'MAIN-1 ', ' MAIN-1', 'MAIN-1a', 'M-1', 'MAIN-9999999999999999'])(
    '%j is not found, and the ledger is not asked',
    async (spelling) => {
      const { lookUp } = await setUp();
      await expect(lookUp(spelling)).rejects.toMatchObject(gone);
      expect(identifiers.resolved).toEqual([]);
    },
  );
});

describe('the ledger', () => {
  it('is asked once for a former identifier, and the card each time', async () => {
    const { workspace, card, former, lookUp } = await transferred();
    expect(await lookUp(former)).toMatchObject({ card, is_alias: true });
    expect(identifiers.resolved).toEqual([former]);
    const ops = identifiers.add(workspace.who.workspace_id, 'OPS');
    const { resource: moved } = await transfer(fixture, workspace.who, card, ops.id);
    expect(await lookUp(former)).toMatchObject({ card: moved, is_alias: true, current_identifier: 'OPS-1' });
    expect(await lookUp(former, openWorkspace(bus, workspace.who.workspace_id))).toMatchObject({ card: moved });
    expect(identifiers.resolved).toEqual([former]);
  });

  it('that does not answer is 503 where it is needed, and nothing waits for it elsewhere', async () => {
    const { workspace, made, lookUp } = await setUp();
    let answer = () => {};
    identifiers.beforeResolve = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const asked = Array.from({ length: 501 }, () => lookUp('NONE-1').catch(({ code }) => code));
    expect(await Promise.race(asked)).toBe('unavailable');
    expect((await lookUp(made[0].identifier)).card).toEqual(made[0]);
    expect(await bus.call(getCard, { ...workspace.who, card_id: made[1].id })).toEqual(made[1]);
    identifiers.beforeResolve = async () => {};
    answer();
  });
});

it('asks the database once for look-ups that arrive together, of whatever workspace', async () => {
  const [one, other] = await Promise.all([setUp(), setUp()]);
  let queries = 0;
  const read: typeof db.read = (fn) => {
    queries += 1;
    return db.read(fn);
  };
  const lookUp = cardFinder({ db: { ...db, read }, former: formerIdentifiers(bus) }, rememberDocuments(db));
  const requests = [one, other].flatMap(({ workspace, made }) =>
    made.map(({ identifier }) => ({ ...workspace.who, identifier })),
  );
  const answers = await Promise.all(requests.map(lookUp));
  expect(answers.map(({ text }) => JSON.parse(text).card)).toEqual([...one.made, ...other.made]);
  expect(queries).toBe(1);
  const missing = ['MAIN-7', 'MAIN-8'].map((identifier) => lookUp({ ...one.workspace.who, identifier }));
  await Promise.all(missing.map((unknown) => expect(unknown).rejects.toMatchObject(gone)));
  expect(queries).toBe(3);
  await expect(lookUp({ ...one.workspace.who, identifier: v7() })).rejects.toMatchObject(gone);
  expect(queries).toBe(3);
});

describe('what a look-up reads', () => {
  it('does not grow with the transfers of the workspace since the last vacuum', async () => {
    const { workspace, made } = await setUp();
    const { workspace_id, user_id } = workspace.who;
    const key = { ordinal: 1, workspace_id, user_id, identifier: 'OLD-1', card_id: made[0].id };
    // An issued identifier is recorded by an update, which leaves a dead row; a snapshot keeps a vacuum from removing it.
    const buffers = await db.transaction(async (tx) => {
      await sql`
        insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
        select ${workspace_id}, 'OLD-' || number, ${made[0].workstream.id}, ${made[0].id}, number, now(), ${user_id}
        from generate_series(1, 20000) as number`.execute(tx);
      await sql`update issued set recorded_at = now() where workspace_id = ${workspace_id}`.execute(tx);
      const text = lookUpIdentifiers.text.replaceAll('$1', `'${JSON.stringify([key])}'`);
      const { rows } = await sql
        .raw<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(`explain (analyze, buffers, format json) ${text}`)
        .execute(tx);
      const { Plan } = rows[0]?.['QUERY PLAN'][0] ?? {};
      return (Plan?.['Shared Hit Blocks'] ?? 0) + (Plan?.['Shared Read Blocks'] ?? 0);
    });
    expect(buffers).toBeGreaterThan(5);
    expect(buffers).toBeLessThan(100);
  });
});
