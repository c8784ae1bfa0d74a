import {
  addPerson,
  type Caller,
  type Credential,
  createApiKey,
  erasePerson,
  getPerson,
  listPeople,
  notePeople,
  type Person,
  patchPerson,
  replyOf,
} from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { aCaller, aCommand, atEndOfFile } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import type { Reader, ServiceContext, Tables } from '../src/context.ts';
import { readPeople } from '../src/people/list.ts';
import { startAccess } from './support/access.ts';

const { bus, urls } = await startAccess();
const db = openDatabase<Tables>({ url: urls.access, name: 'test', poolSize: 2 });
atEndOfFile(() => db.close());

type Body = { name: string; email?: string; user_id?: string };
const add = async (by: Caller, body: Body, command = aCommand()) =>
  bus.call(addPerson, { ...by, command, body: { email: null, kind: 'person', ...body } });
const edit = (by: Caller, { user_id: person_id, version }: Person, body: object) =>
  bus.call(patchPerson, {
    ...by,
    person_id,
    command: aCommand(),
    if_match: [version],
    is_admin: by.user_id !== person_id,
    body,
  } as never);
const get = ({ workspace_id, user_id }: Caller, person_id: string) =>
  bus.call(getPerson, { workspace_id, user_id, person_id });
const find = async (by: Caller, filters: object, limit = 100, cursor?: string) =>
  bus.call(listPeople, { ...by, filters, page: { limit, ...(cursor && { cursor }) } });
const namesOf = async (by: Caller, filters: object) => (await find(by, filters)).items.map(({ name }) => name);
const comes = (by: Caller, claims: { name?: string; email?: string; issued_at?: string } = {}) => {
  const visit = { ...by, name: null, email: null, issued_at: null, ...claims, at: new Date().toISOString() };
  return bus.call(notePeople, { people: [visit] });
};

it('finds people by words of name and address, by address and by id, in pages without a repetition', async () => {
  const by = aCaller();
  const { resource: maria } = await add(by, { name: 'Maria Müller', email: 'Maria@Example.com' });
  await add(by, { name: 'Mario Rossi', email: 'mm@example.com' });
  await add(by, { name: 'Jan Maryniak' });
  await add(aCaller(), { name: 'Maria Elsewhere' });
  expect(maria.email).toBe('maria@example.com');
  expect(await namesOf(by, { q: 'MAR mul' })).toEqual(['Maria Müller']);
  expect(await namesOf(by, { q: 'mm@exam' })).toEqual(['Mario Rossi']);
  expect(await namesOf(by, { q: '%' })).toEqual([]);
  expect(await namesOf(by, { email: 'maria@example.com' })).toEqual(['Maria Müller']);
  expect(await namesOf(by, { user_id: maria.user_id, q: 'rossi' })).toEqual([]);
  const seen: (string | null)[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await find(by, { q: 'mar' }, 1, cursor);
    seen.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  }
  // By the words: maria, mario, maryniak.
  expect(seen).toEqual(['Maria Müller', 'Mario Rossi', 'Jan Maryniak']);
});

/** How many rows of people and of their words a page reads, with what other pages read a moment before. */
const rowsRead = (by: Caller, filters: object, limit: number) =>
  db.transaction(async (tx) => {
    const ofTransaction = { read: <T>(work: (tx: Reader) => Promise<T>) => work(tx) } as ServiceContext['db'];
    const page = await readPeople({ db: ofTransaction }, { ...by, filters, page: { limit } });
    const { rows } = await sql<{ read: number }>`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as read
      from pg_stat_xact_user_tables where relname in ('people', 'people_words')`.execute(tx);
    return { found: (replyOf(page) as { items: Person[] }).items.length, read: rows[0]?.read ?? 0 };
  });

it('reads about as many rows as a page has, however many people there are', async () => {
  const by = aCaller();
  const { workspace_id } = by;
  const run = (statement: ReturnType<typeof sql>) =>
    db.transaction(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await statement.execute(tx);
    });
  await run(sql`insert into people (workspace_id, id, created_at, updated_at, kind, name, email)
    select ${workspace_id}, gen_random_uuid(), now(), now(), 'person', 'Maria ' || n, 'm' || n || '@example.com'
    from generate_series(1, 50000) as n`);
  await run(sql`insert into people_words select workspace_id, id, word from people,
    regexp_split_to_table(lower(name) || ' ' || replace(email, '@', ' '), '[ .]') as word
    where workspace_id = ${workspace_id}`);
  await run(sql`analyze people, people_words`);
  for (const filters of [{}, { q: 'mar' }, { q: 'm' }, { q: 'exa maria' }, { q: 'maria 4999' }, { q: '4999' }]) {
    const { found, read } = await rowsRead(by, filters, 10);
    expect({ filters, found, read, few: read < 200 }).toMatchObject({ found: 10, few: true });
  }
  const { found, read } = await rowsRead(by, { email: 'm777@example.com' }, 10);
  expect(found).toBe(1);
  expect(read).toBeLessThan(200);
});

it('gives an address once, in any letter case, and a person one row', async () => {
  const by = aCaller();
  const { resource: first } = await add(by, { name: 'Maria', email: 'maria@example.com' });
  const { resource: second } = await add(by, { name: 'Maria' });
  await expect(add(by, { name: 'Other', email: 'MARIA@example.com' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(edit(by, second, { email: 'maria@EXAMPLE.com' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(add(by, { name: 'Again', user_id: first.user_id })).rejects.toMatchObject({ code: 'conflict' });
  const together = await Promise.allSettled(
    [1, 2, 3].map((n) => add(by, { name: `Racer ${n}`, email: 'racer@example.com' })),
  );
  expect(together.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of together) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
});

it('takes claims when they change, never over what an admin said, and leaves out an address of another', async () => {
  const [by, other] = [aCaller(), v7()];
  await comes(by, { name: 'maria', email: 'maria@example.com' });
  const first = await get(by, by.user_id);
  expect(first).toMatchObject({ name: 'maria', email: 'maria@example.com', kind: 'person' });
  expect(first.first_seen).toBe(first.last_seen);
  const { resource: edited } = await edit({ ...by, user_id: other }, first, { name: 'Maria Silva' });
  await comes(by, { name: 'maria', email: 'maria@example.com' });
  expect(await get(by, by.user_id)).toEqual(edited);
  await comes(by);
  expect(await get(by, by.user_id)).toEqual(edited);
  await comes(by, { name: 'Maria Santos', email: 'maria@example.com' });
  expect(await get(by, by.user_id)).toMatchObject({ name: 'Maria Santos', version: edited.version + 1 });

  // One of two tokens is older.
  await comes(by, { name: 'Maria Costa', issued_at: '2026-01-02T00:00:00.000Z' });
  await comes(by, { name: 'Maria Santos', issued_at: '2026-01-01T00:00:00.000Z' });
  expect(await get(by, by.user_id)).toMatchObject({ name: 'Maria Costa', version: edited.version + 2 });

  const twin = { ...by, user_id: other };
  await comes(twin, { name: 'Twin', email: 'maria@example.com' });
  expect(await get(by, other)).toMatchObject({ name: 'Twin', email: null });
  await edit(twin, await get(by, by.user_id), { email: null });
  await comes(twin, { name: 'Twin', email: 'maria@example.com' });
  expect(await get(by, other)).toMatchObject({ email: 'maria@example.com' });
});

it('notes the users of keys: machines where another makes the key', async () => {
  const by = aCaller();
  const credential: Credential = { scope: 'kanban:admin', api_key: null, has_issuer: true };
  const machine = v7();
  const key = (user_id?: string) =>
    bus.call(createApiKey, {
      ...by,
      credential,
      command: aCommand(),
      body: { name: 'deploy bot', scope: 'kanban:write', ...(user_id && { user_id }) },
    });
  await key();
  await key(machine);
  expect(await get(by, by.user_id)).toMatchObject({ name: null, kind: 'person' });
  expect(await get(by, machine)).toMatchObject({ name: 'deploy bot', kind: 'machine' });
  // Somebody who had a key before they came.
  await comes({ ...by, user_id: machine }, { name: 'Maria' });
  expect(await get(by, machine)).toMatchObject({ name: 'Maria', kind: 'person' });
});

it('shows in a replay the person as they are now, and nobody who was erased', async () => {
  const [by, command, id] = [aCaller(), aCommand(), v7()];
  const body = { name: 'Maria Silva', email: 'maria@example.com', user_id: id };
  const made = await add(by, body, command);
  expect(await add(by, body, command)).toEqual({ ...made, replayed: true });
  await bus.call(erasePerson, { ...by, person_id: id });
  await bus.call(erasePerson, { ...by, person_id: id });
  const erased = { name: 'somebody', email: null, version: 2, erased_at: expect.any(String) };
  expect((await add(by, body, command)).resource).toMatchObject(erased);
  expect(await namesOf(by, { q: 'maria' })).toEqual([]);
  expect(await namesOf(by, { q: 'somebody' })).toEqual([]);
  expect(await namesOf(by, { user_id: id })).toEqual(['somebody']);
  await comes({ ...by, user_id: id }, { name: 'Maria Silva', email: 'maria@example.com' });
  const came = await get(by, id);
  expect(came).toMatchObject({ ...erased, last_seen: expect.any(String) });
  // An admin may name them again, and claims still do not.
  await edit(by, came, { name: 'M.' });
  await comes({ ...by, user_id: id }, { name: 'Maria Santos' });
  expect(await get(by, id)).toMatchObject({ name: 'M.', email: null });
});
