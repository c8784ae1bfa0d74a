import { type InternalEvent, internalEvent } from '@cardinal/contracts';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  appendChanges,
  type Change,
  changeOf,
  createFeed,
  createInternalEvents,
  createOutbox,
  type Database,
  migrate,
  purgeInternalEvents,
  purgeOutbox,
  type Reader,
} from '../src/index.ts';
import { gate, migratedDatabase, open, select, type Tables, untilWaiting } from './fixtures.ts';

const event = (workspace_id: string, aggregate_version = 1): InternalEvent => ({
  id: v7(),
  type: 'card.deleted',
  version: 1,
  occurred_at: new Date().toISOString(),
  workspace_id,
  request_id: 'r',
  aggregate_id: v7(),
  aggregate_version,
  data: { text: 'It’s "quoted" \\ and {braced}\n' },
});
const change = (): Change =>
  changeOf({
    type: 'card.deleted',
    by: { user_id: v7() },
    at: new Date(),
    subject: { type: 'card', id: v7() },
    data: null,
    differs: { changed: [], previous: {} },
  }) as Change;

interface Noted {
  seq: number;
  id: string;
  event: InternalEvent;
}
const notedIn = (db: Database<Tables>, workspaceId: string) =>
  select<Noted>(db, `select seq, id, event from internal_events where workspace_id = '${workspaceId}' order by seq`);
const headOf = async (db: Database<Tables>, workspaceId: string) =>
  (
    await select<Record<string, unknown>>(
      db,
      `select last, last_id, last_internal, last_internal_id from feeds where workspace_id = '${workspaceId}'`,
    )
  )[0];
const outbox = (db: Database<Tables>) =>
  select<{ id: string; subject: string; event: InternalEvent }>(
    db,
    'select id, subject, event from outbox order by id',
  );

describe('internal events', () => {
  it('have dense numbers of their own, with or without changes', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    const [one, two, three] = [event(workspace, 1), event(workspace, 2), event(workspace, 3)];
    const changes = [change(), change(), change()];
    await db.transaction((tx) => appendChanges(tx, workspace, changes.slice(0, 2), [one]));
    await db.transaction((tx) => appendChanges(tx, workspace, [], [two, three]));
    await db.transaction((tx) => appendChanges(tx, workspace, changes.slice(2)));
    expect(await notedIn(db, workspace)).toEqual(
      [one, two, three].map((e, at) => ({ seq: at + 1, id: e.id, event: e })),
    );
    expect(await headOf(db, workspace)).toEqual({
      last: 3,
      last_id: changes[2]?.id,
      last_internal: 3,
      last_internal_id: three.id,
    });
    const rows = await select<{ previous_id: string | null }>(db, 'select previous_id from changes order by seq');
    expect(rows.map(({ previous_id }) => previous_id)).toEqual([null, changes[0]?.id, changes[1]?.id]);
  });

  it('of concurrent writers are in the order of their commits', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    const [early, late] = [event(workspace), event(workspace)];
    const held = gate();
    const noted = gate();
    const first = db.transaction(async (tx) => {
      await appendChanges(tx, workspace, [], [early]);
      noted.resolve();
      await held.promise;
    });
    await noted.promise;
    const second = db.transaction((tx) => appendChanges(tx, workspace, [change()], [late]));
    await untilWaiting(db);
    held.resolve();
    await Promise.all([first, second]);
    expect((await notedIn(db, workspace)).map(({ id }) => id)).toEqual([early.id, late.id]);
  });

  it('are purged by age', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    await db.transaction((tx) => appendChanges(tx, workspace, [], [event(workspace), event(workspace)]));
    await select(db, `update internal_events set noted_at = now() - interval '8 days' where seq = 1`);
    expect(await purgeInternalEvents(db, new Date(Date.now() - 7 * 86_400_000))).toBe(1);
    expect((await notedIn(db, workspace)).map(({ seq }) => seq)).toEqual([2]);
  });
});

describe('beside release 1.1.0', () => {
  /** Writes to the outbox as release 1.1.0 does, in a transaction with a change. */
  const writeAsBefore = (db: Database<Tables>, events: InternalEvent[]) =>
    db.transaction(async (tx) => {
      for (const one of events) {
        await sql`
          insert into outbox (id, workspace_id, subject, event)
          values (${one.id}, ${one.workspace_id}, ${`evt.${one.type}`}, ${JSON.stringify(one)}::jsonb)`.execute(tx);
      }
      await appendChanges(tx, events[0]?.workspace_id ?? '', [change()]);
    });

  it('an event in its outbox is in the feed, once, after the change of the same transaction', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    const [one, two, three] = [event(workspace, 1), event(workspace, 2), event(workspace, 3)];
    await writeAsBefore(db, [one, two]);
    await db.transaction((tx) => appendChanges(tx, workspace, [], [three]));
    const noted = await notedIn(db, workspace);
    expect(noted.map(({ seq, id }) => [seq, id])).toEqual([one, two, three].map(({ id }, at) => [at + 1, id]));
    expect(noted.map((row) => internalEvent.parse(row.event))).toEqual([one, two, three]);
    expect(await headOf(db, workspace)).toMatchObject({ last: 1, last_internal: 3, last_internal_id: three.id });
  });

  it('an event of this release is in its outbox, due at once, and is not copied back', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    const one = event(workspace);
    await db.transaction((tx) => appendChanges(tx, workspace, [], [one]));
    expect(await outbox(db)).toEqual([{ id: one.id, subject: 'evt.card.deleted', event: one }]);
    // What its relay reads and marks.
    const due = `select id from outbox where published_at is null and (leased_until is null or leased_until < now())`;
    expect(await select(db, due)).toHaveLength(1);
    await select(db, 'update outbox set published_at = now(), leased_until = now()');
    expect(await notedIn(db, workspace)).toHaveLength(1);
    expect(await purgeOutbox(db, new Date(Date.now() + 1_000))).toBe(1);
    expect(await notedIn(db, workspace)).toHaveLength(1);
  });

  it('a failed transaction leaves neither', async () => {
    const { db } = await migratedDatabase();
    const workspace = v7();
    const failing = db.transaction(async (tx) => {
      const one = event(workspace);
      await sql`
        insert into outbox (id, workspace_id, subject, event)
        values (${one.id}, ${workspace}, 'evt.card.deleted', ${JSON.stringify(one)}::jsonb)`.execute(tx);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await outbox(db), await notedIn(db, workspace)]).toEqual([[], []]);
  });

  it('a workspace that had a feed before has no event 1, a new one begins with it', async () => {
    const { url } = await testDatabase();
    const before = {
      '0001_before': async () => ({
        up: async (db: Reader) => {
          await createOutbox(db);
          await createFeed(db);
        },
      }),
    };
    await migrate({ url, migrations: before });
    const db = open(url);
    const [old, young] = [v7(), v7()];
    await db.transaction((tx) => sql`insert into feeds (workspace_id, last) values (${old}, 7)`.execute(tx));
    const now = { ...before, '0002_internal': async () => ({ up: createInternalEvents }) };
    await migrate({ url, migrations: now });
    for (const workspace of [old, young]) {
      await db.transaction((tx) => appendChanges(tx, workspace, [], [event(workspace)]));
    }
    expect((await notedIn(db, old)).map(({ seq }) => seq)).toEqual([2]);
    expect((await notedIn(db, young)).map(({ seq }) => seq)).toEqual([1]);
  });
});
