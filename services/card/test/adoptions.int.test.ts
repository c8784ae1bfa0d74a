import {
  adoptCards,
  archiveColumn,
  type CardToAdopt,
  closeRange,
  createBoard,
  createLabel,
  deleteCard,
  deleteLabel,
  getCard,
  openRange,
  patchBoard,
  unavailable,
  workstreamState,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { purgeIssued } from '../src/numbers/recorder.ts';
import { aCard, aColumn, create, transfer } from './support/builders.ts';
import { startDependencyDouble } from './support/dependency-double.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture({ instances: 2 });
const { identifier } = fixture;
const { instance } = fixture;
await startDependencyDouble(fixture.natsUrl);
beforeEach(() => {
  identifier.beforeAdoption = async () => {};
  identifier.beforeRecord = async () => {};
});

/** A column, and the workstreams WEB and OLD, which adopt. */
const given = async () => {
  const caller = aCaller();
  const [web, old] = ['WEB', 'OLD'].map((prefix) => identifier.add(caller.workspace_id, prefix, { adopting: true }));
  if (!web || !old) throw new Error('no workstreams');
  const { board, column } = await aColumn(fixture, caller);
  const adopt = (cards: (Partial<CardToAdopt> & { number: number })[], command = aCommand(), who = caller) =>
    fixture.bus.call(adoptCards, {
      ...{ ...who, command, workstream_id: web.id },
      body: { cards: cards.map((card) => ({ column_id: column.id, title: 'Card', ...card })) },
    });
  /** What became of one card. */
  const adoptOne = async (card: Partial<CardToAdopt> & { number: number }, who = caller) =>
    (await adopt([card], aCommand(), who)).resource[0];
  const close = () =>
    fixture.bus.call(closeRange, {
      workspace_id: caller.workspace_id,
      workstream: workstreamState.parse(web),
      epoch: 1,
    });
  const open = (next_number: number | null = null, above = 0) =>
    fixture.bus.call(openRange, {
      ...{ workspace_id: caller.workspace_id, workstream: workstreamState.parse(web) },
      ...{ epoch: 1, above, next_number },
    });
  return { caller, web, old, board, column, adopt, adoptOne, close, open };
};
const created_at = '2019-04-01T09:30:00.000Z';

describe('an adopted card', () => {
  test('has everything as it was given, and an id of its time', async () => {
    const { caller, column, adoptOne } = await given();
    const label = await fixture.bus.call(createLabel, { ...caller, command: aCommand(), body: { name: 'Bug' } });
    const told: Partial<CardToAdopt> = {
      ...{ title: 'Refunds fail', description: 'On Sundays', priority: 'urgent', due_date: '2019-05-01T00:00:00.000Z' },
      ...{
        created_at,
        created_by: v7(),
        completed_at: '2020-01-01T00:00:00.000Z',
        archived_at: '2021-01-01T00:00:00.000Z',
      },
    };
    const assignee = v7();
    const marks = { assignee_user_ids: [assignee, assignee], label_ids: [label.resource.id, label.resource.id] };
    const made = await adoptOne({ number: 7, ...told, ...marks });
    expect(made).toMatchObject({
      ...{ identifier: 'WEB-7', status: 201 },
      data: {
        ...told,
        version: 1,
        column_id: column.id,
        assignee_user_ids: [assignee],
        label_ids: [label.resource.id],
      },
    });
    const id = made?.data?.id ?? '';
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.parse(created_at));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await fixture.bus.call(getCard, { ...caller, card_id: id })).toEqual(made?.data);
    expect(identifier.recorded(caller.workspace_id)).toMatchObject([{ identifier: 'WEB-7', assigned_at: created_at }]);
  });

  test('stands above those before it, in the order of the list', async () => {
    const { caller, column, adopt } = await given();
    await create(fixture, caller, column.id);
    const { resource } = await adopt([{ number: 1 }, { number: 2 }]);
    const above = await create(fixture, caller, column.id);
    const positions = resource.map(({ data }) => data?.position);
    expect([...positions, above.resource.position]).toEqual([-2, -1, -3]);
  });

  test('without a time is as old as its workstream, and the same one after the database was rolled back', async () => {
    const { caller, web, adoptOne } = await given();
    const first = await adoptOne({ number: 1, former: ['OLD-1'] });
    expect(first?.data?.created_at).toBe(
      new Date(Number.parseInt(web.id.replace('-', '').slice(0, 12), 16)).toISOString(),
    );
    await instance.context.db.transaction(async (tx) => {
      for (const table of ['cards', 'issued', 'commands']) {
        await sql`delete from ${sql.table(table)} where workspace_id = ${caller.workspace_id}`.execute(tx);
      }
    });
    // The ledger remembers whose it is.
    expect(await adoptOne({ number: 1, created_at })).toMatchObject({
      ...{ status: 409, error: { code: 'conflict', details: { identifier: 'WEB-1', card_id: null } } },
    });
    expect(await adoptOne({ number: 1, former: ['OLD-1'] })).toMatchObject({
      status: 201,
      data: { id: first?.data?.id },
    });
  });
});

describe('a card is refused, and others are not', () => {
  const refused = async (
    { adopt }: Awaited<ReturnType<typeof given>>,
    card: Partial<CardToAdopt>,
    status: number,
    error: object,
  ) => {
    const { resource } = await adopt([{ number: 1, ...card }, { number: 2 }]);
    expect(resource).toMatchObject([
      { identifier: 'WEB-1', status, error },
      { identifier: 'WEB-2', status: 201 },
    ]);
    expect(Object.keys(resource[0] ?? {})).not.toContain('data');
  };
  const future = '2999-01-01T00:00:00.000Z';

  test.each<[string, Partial<CardToAdopt>, number, object]>([
    ['whose column is unknown', { column_id: v7() }, 404, { code: 'not_found', message: 'Column not found' }],
    ['whose label is unknown', { label_ids: [v7()] }, 404, { code: 'not_found', message: 'Label not found' }],
    ['that was created in the future', { created_at: future }, 422, { code: 'validation_error' }],
    ['that was completed in the future', { completed_at: future }, 422, { code: 'validation_error' }],
    ['that was archived in the future', { archived_at: future }, 422, { code: 'validation_error' }],
    ['that had its own identifier before', { former: ['WEB-1'] }, 422, { code: 'validation_error' }],
    ['that had one of no workstream', { former: ['NONE-1'] }, 409, { code: 'conflict' }],
    ['that had one of a workstream that issues', { former: ['MAIN-1'] }, 409, { code: 'conflict' }],
  ])('%s', async (_, card, status, error) => refused(await given(), card, status, error));

  test('whose column is archived', async () => {
    const all = await given();
    const { column } = await aColumn(fixture, all.caller);
    await fixture.bus.call(archiveColumn, { ...all.caller, command: aCommand(), column_id: column.id, if_match: [1] });
    await refused(all, { column_id: column.id }, 409, { code: 'conflict', message: 'The column is archived' });
  });

  test('whose label was deleted meanwhile', async () => {
    const all = await given();
    const label = await fixture.bus.call(createLabel, { ...all.caller, command: aCommand(), body: { name: 'Bug' } });
    const label_id = label.resource.id;
    identifier.beforeAdoption = async () => {
      identifier.beforeAdoption = async () => {};
      await fixture.bus.call(deleteLabel, { ...all.caller, command: aCommand(), label_id, if_match: [1] });
    };
    await refused(all, { label_ids: [label_id] }, 404, { code: 'not_found' });
  });

  test('one of whose identifiers is somebody’s: as a whole, with the card that has it, unless that is deleted', async () => {
    const all = await given();
    const { caller, adopt, adoptOne } = all;
    const had = await adoptOne({ number: 7, former: ['OLD-7'] });
    const card_id = had?.data?.id ?? '';
    const taken = (name: string, by: string | null) => ({
      ...{ code: 'conflict', details: { identifier: name, card_id: by } },
    });
    await refused(all, { former: ['OLD-8', 'OLD-7'] }, 409, taken('OLD-7', card_id));
    await fixture.bus.call(deleteCard, { ...caller, command: aCommand(), card_id, if_match: [2] });
    expect(await adoptOne({ number: 7 })).toMatchObject({ status: 409, error: taken('WEB-7', null) });
    // Nothing of what was refused is taken; of two in one batch the first one has it.
    const { resource } = await adopt([
      { number: 8, former: ['OLD-8'] },
      { number: 9, former: ['OLD-8'] },
    ]);
    expect(resource).toMatchObject([
      { status: 201 },
      { status: 409, error: { details: { card_id: resource[0]?.data?.id } } },
    ]);
  });

  test('with another key it was adopted by before; by the same key it is replayed', async () => {
    const { adopt } = await given();
    const command = aCommand();
    const cards = [{ number: 1 }, { number: 1 }];
    const first = await adopt(cards, command);
    expect(await adopt(cards, command)).toEqual({ ...first, replayed: true });
    const card_id = first.resource[0]?.data?.id;
    const lost = { status: 409, error: { details: { identifier: 'WEB-1', card_id } } };
    expect((await adopt(cards)).resource).toMatchObject([lost, lost]);
  });
});

test('of many who adopt the same at once one has each, and equal requests have one answer', async () => {
  const { adopt } = await given();
  const command = aCommand();
  const cards = [1, 2, 3].map((number) => ({ number, former: [`OLD-${number}`] }));
  const all = await Promise.all(Array.from({ length: 12 }, (_, nth) => adopt(cards, nth % 2 ? command : aCommand())));
  for (const at of [0, 1, 2]) {
    const [card, ...others] = new Set(all.flatMap(({ resource }) => resource[at]?.data?.id ?? []));
    expect([typeof card, others]).toEqual(['string', []]);
    const losers = all.flatMap(({ resource }) => resource[at]?.error ?? []);
    expect(losers.length).toBeGreaterThan(0);
    for (const { details } of losers) expect(details).toMatchObject({ card_id: card });
  }
  const equal = all.filter((_, nth) => nth % 2).map(({ resource }) => JSON.stringify(resource));
  expect(new Set(equal).size).toBe(1);
});

test('cards whose answer no message takes are refused together, before anything is written', async () => {
  const { adopt } = await given();
  const description = 'x'.repeat(20_000);
  const cards = Array.from({ length: 49 }, (_, nth) => ({ number: nth + 1, description }));
  await expect(adopt(cards)).rejects.toMatchObject({ code: 'payload_too_large' });
  const { resource } = await adopt(cards.slice(0, 40));
  expect(resource.every(({ status }) => status === 201)).toBe(true);
});

test('nothing is answered before the ledger has it, and the repetition brings it there', async () => {
  const { caller, adopt } = await given();
  const command = aCommand();
  identifier.beforeRecord = async (issued) => {
    if (issued.some(({ workspace_id }) => workspace_id === caller.workspace_id)) throw unavailable('The test says so');
  };
  await expect(adopt([{ number: 1 }], command)).rejects.toMatchObject({ code: 'unavailable' });
  identifier.beforeRecord = async () => {};
  expect(await adopt([{ number: 1 }], command)).toMatchObject({ replayed: true, resource: [{ status: 201 }] });
  expect(identifier.recorded(caller.workspace_id)).toHaveLength(1);
});

test('what is recorded of a workstream that adopts is not forgotten, and of another one it is', async () => {
  const { caller, adoptOne, close } = await given();
  await adoptOne({ number: 1 });
  const { db } = instance.context;
  const count = async () => {
    await purgeIssued(db, new Date(Date.now() + 60_000));
    const rows = db.read((tx) =>
      tx.selectFrom('issued').select('identifier').where('workspace_id', '=', caller.workspace_id).execute(),
    );
    return (await rows).length;
  };
  expect(await count()).toBe(1);
  await close();
  expect(await count()).toBe(0);
});

describe('while a workstream adopts', () => {
  test('it issues no number, and is no board’s default', async () => {
    const { caller, web, board, column, adoptOne } = await given();
    const conflict = { code: 'conflict', message: expect.stringContaining('adopts') };
    const refuse = async () => {
      const card = await aCard(fixture, caller);
      await expect(create(fixture, caller, column.id, { workstream_id: web.id })).rejects.toMatchObject(conflict);
      await expect(transfer(fixture, caller, card, web.id)).rejects.toMatchObject(conflict);
    };
    await refuse();
    await adoptOne({ number: 1 });
    await refuse();
    const body = { default_workstream_id: web.id };
    const patch = { ...caller, command: aCommand(), board_id: board.id, if_match: [1], body };
    await expect(fixture.bus.call(patchBoard, patch)).rejects.toMatchObject(conflict);
    const made = fixture.bus.call(createBoard, { ...caller, command: aCommand(), body: { name: 'Board', ...body } });
    await expect(made).rejects.toMatchObject(conflict);
  });

  test('its cards are moved and leave it, and do not come back', async () => {
    const { caller, web, adoptOne } = await given();
    const one = await adoptOne({ number: 1 });
    if (!one?.data) throw new Error('not adopted');
    const other = identifier.add(caller.workspace_id, 'PAY');
    const { resource } = await transfer(fixture, caller, one.data, other.id);
    expect(resource).toMatchObject({ identifier: 'PAY-1', version: 2 });
    await expect(transfer(fixture, caller, resource, web.id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an adoption ends for good', () => {
  const over = { code: 'conflict', message: 'The workstream does not adopt' };

  test.each(['open', 'close'] as const)('with %s, also for one that was allowed before', async (end) => {
    const { adopt, adoptOne, [end]: finish } = await given();
    await adoptOne({ number: 7 });
    identifier.beforeAdoption = async () => {
      identifier.beforeAdoption = async () => {};
      await finish();
    };
    await expect(adopt([{ number: 8 }])).rejects.toMatchObject(over);
    await expect(adopt([{ number: 8 }])).rejects.toMatchObject(over);
  });

  test('numbers follow the highest, a former one and that of a deleted card too', async () => {
    const { caller, web, column, adoptOne, open } = await given();
    const made = await adoptOne({ number: 3, former: ['WEB-9'] });
    await fixture.bus.call(deleteCard, {
      ...caller,
      command: aCommand(),
      card_id: made?.data?.id ?? '',
      if_match: [2],
    });
    expect(await open(9)).toEqual({ opened: false, last_number: 9 });
    expect(await open()).toEqual({ opened: true, last_number: 9 });
    expect(await open(100)).toEqual({ opened: true, last_number: 9 });
    web.adopting = false;
    web.granted_through = 9;
    const { resource } = await create(fixture, caller, column.id, { workstream_id: web.id });
    expect(resource.identifier).toBe('WEB-10');
  });

  test('numbers begin where the opening says, never below what it must leave out', async () => {
    const [asked, above, nothing] = [await given(), await given(), await given()];
    await asked.adoptOne({ number: 3 });
    expect(await asked.open(100)).toEqual({ opened: true, last_number: 99 });
    expect(await above.open(50, 50)).toEqual({ opened: false, last_number: 50 });
    expect(await above.open(null, 50)).toEqual({ opened: true, last_number: 50 });
    expect(await nothing.open()).toEqual({ opened: true, last_number: 0 });
    await expect(nothing.adopt([{ number: 1 }])).rejects.toMatchObject(over);
  });

  test('in its epoch and in no other', async () => {
    const { caller, web } = await given();
    const request = {
      workspace_id: caller.workspace_id,
      workstream: workstreamState.parse(web),
      above: 0,
      next_number: null,
    };
    await expect(fixture.bus.call(openRange, { ...request, epoch: 2 })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('a rollback while an adoption is under way leaves nothing of it; the next epoch adopts', async () => {
  const { adopt } = await given();
  const asked: number[] = [];
  identifier.beforeAdoption = async ({ epoch }) => {
    asked.push(epoch);
    if (asked.length > 1) return;
    const { db } = instance.context;
    await db.read((tx) => sql`update lineage set tick = 0`.execute(tx));
    for (const { context } of fixture.instances) context.lineage.forget();
  };
  await instance.context.lineage.sweep();
  const { resource } = await adopt([{ number: 1 }]);
  expect(resource).toMatchObject([{ status: 201 }]);
  expect(asked.length).toBeGreaterThan(1);
});
