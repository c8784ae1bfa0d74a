import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectBus, declareStreams } from '@cardinal/bus';
import { createCard, getCardByIdentifier, listIdentifiers } from '@cardinal/contracts';
import { migrate } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { migrateService, runStatements } from '@cardinal/servers';
import { eventually, scratchFolder, testDatabase, testNats } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../src/migrations/index.ts';
import { startReal } from './support/real-service.ts';

/**
 * What pg_dump wrote of the databases of the build before numbers were granted, after real use: aliases, an archived
 * workstream, deleted cards, one of them the only one of its workstream.
 */
const dumpOf = (service: string) => readFileSync(join(import.meta.dirname, `former/${service}.sql`), 'utf8');

const who = { workspace_id: '0199d000-0000-7000-8000-000000000001', user_id: '0199d000-0000-7000-8000-000000000002' };
const column_id = '01a20133-2e63-779b-8e02-c1670f65d19f';
const [aliased, pay] = ['01a20133-2ef5-71ac-afa2-5b4a60167c87', '01a20133-2e73-71cb-98fb-ec6660903485'];

const formerDatabase = async () => {
  const database = await testDatabase();
  for (const service of ['card', 'identifier'] as const) {
    await runStatements(database.urls[service], [dumpOf(service)]);
  }
  const log = join(scratchFolder('former'), 'migrate.log');
  return {
    ...database,
    card: (...statements: string[]) => runStatements(database.urls.card, statements),
    migrateCards: () => migrate({ url: database.urls.card, migrations }),
    migrateIdentifiers: () => migrateService('identifier', database.urls.identifier, log),
  };
};

/** The operation that made a card, as the former build kept it until the identifier service had confirmed it. */
const anOperation = (cardId: string, state: 'pending' | 'committed') => `
  with made as (
    select cards.*, commands.id as command_id from card.cards
    join card.commands on commands.response ->> 'id' = cards.id::text and (commands.response ->> 'version')::integer = 1
    where cards.id = '${cardId}' limit 1
  )
  insert into card.operations
    (workspace_id, id, command_id, card_id, state, payload, card_version, assigned_at, created_at)
  select workspace_id, gen_random_uuid(), command_id, id, '${state}',
    jsonb_build_object('kind', 'create', 'user_id', created_by), 1, created_at, created_at
  from made`;

test('a database of the former build goes on: every name resolves, and every workstream counts on', async () => {
  const database = await formerDatabase();
  await database.card(anOperation(aliased, 'committed'));
  await Promise.all([database.migrateCards(), database.migrateIdentifiers()]);
  expect(await database.card('select identifier, card_version, recorded_at from card.issued')).toEqual([
    { identifier: 'MAIN-2', card_version: 1, recorded_at: null },
  ]);

  const nats = await testNats();
  await declareStreams({ url: nats.url });
  const bus = await connectBus({
    url: nats.url,
    name: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  onTestFinished(async () => {
    await bus.drain();
  });
  const where = { urls: database.urls, natsUrl: nats.url };
  await Promise.all([startReal(where, 'identifier'), startReal(where, 'card')]);

  const current = await database.card('select id, identifier from card.cards order by id');
  expect(current).toHaveLength(22);
  for (const { id, identifier } of current as { id: string; identifier: string }[]) {
    const found = await bus.call(getCardByIdentifier, { ...who, identifier });
    expect(found.card).toMatchObject({ id, identifier });
  }
  for (const identifier of ['MAIN-2', 'FPAY-1', 'FOLD-3']) {
    const found = await bus.call(getCardByIdentifier, { ...who, identifier });
    expect([found.card.id, found.is_alias]).toEqual([aliased, true]);
  }
  const history = await bus.call(listIdentifiers, { ...who, card_id: aliased, page: { limit: 10 } });
  expect(history.items.map((entry) => entry.identifier)).toEqual(['MAIN-2', 'FPAY-1', 'FOLD-3', 'FPAY-2']);

  const create = (workstream_id?: string) =>
    bus.call(createCard, {
      ...{ ...who, command: { id: v7(), fingerprint: 'f' }, column_id },
      body: { title: 'New', ...(workstream_id ? { workstream_id } : {}) },
    });
  const idOf = async (prefix: string) =>
    ((await database.card(`select id from card.workstreams where prefix = '${prefix}'`))[0] as { id: string }).id;
  const made = [await create(), await create(pay), await create(await idOf('FGONE')), await create(await idOf('FNEW'))];
  expect(made.map(({ resource }) => resource.identifier)).toEqual(['MAIN-11', 'FPAY-10', 'FGONE-2', 'FNEW-1']);
  await expect(create(await idOf('FOLD'))).rejects.toMatchObject({ code: 'conflict' });
  const top = made[0]?.resource.position ?? 0;
  const [{ above }] = (await database.card(
    `select count(*) as above from card.cards where column_id = '${column_id}' and position < ${top}
       and identifier not in ('FPAY-10', 'FGONE-2', 'FNEW-1')`,
  )) as [{ above: number }];
  expect(above).toBe(0);
  await eventually(async () => {
    expect(await database.card('select identifier from card.issued where recorded_at is null')).toEqual([]);
  });
  expect((await bus.call(getCardByIdentifier, { ...who, identifier: 'MAIN-2' })).card.title).toBe('alias, renamed');
});

test('operations that wait for their number refuse the migration, which says what to do and changes nothing', async () => {
  const database = await formerDatabase();
  await database.card(anOperation(aliased, 'pending'));
  await expect(database.migrateCards()).rejects.toThrow(
    RegExp(
      `operations are still pending: ${who.workspace_id}/.* of card ${aliased}\\. Start the former build once more`,
    ),
  );
  await database.card(`update card.operations set state = 'committed'`);
  await expect(database.migrateCards()).resolves.toContain('0008_grants');
});

test('so do numbers whose operation has not ended', async () => {
  const database = await formerDatabase();
  await runStatements(database.urls.identifier, [
    `update identifier.identifiers set state = 'pending', card_version = null, assigned_at = null
     where prefix = 'MAIN' and number = 2`,
  ]);
  await expect(database.migrateIdentifiers()).rejects.toThrow(`${who.workspace_id}/MAIN-2. Start the former build`);
});
