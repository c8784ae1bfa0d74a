import {
  archiveCard,
  type Caller,
  type Card,
  type Command,
  createComment,
  createLabel,
  type FeedChange,
  pullCardChanges,
  putCardLabel,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { waitingForLock } from '@cardinal/testkit/instance';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { aColumn, create, patch, transfer } from './support/builders.ts';
import { feedOf, notedIn } from './support/feed.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture({ instances: 2 });
const { identifier } = fixture;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Pulls again and again until `through` says that nothing more comes, as whoever fills the log does. */
const follow = async (workspace_id: string, done: () => boolean): Promise<FeedChange[]> => {
  const pulled: FeedChange[] = [];
  for (;;) {
    const isLast = done();
    const after = pulled.at(-1)?.seq ?? 0;
    const { feeds } = await fixture.bus.call(pullCardChanges, { feeds: [{ workspace_id, after }] });
    pulled.push(...(feeds[0]?.changes ?? []));
    if (isLast && after === feeds[0]?.last) return pulled;
  }
};

test('of many writers at two instances: numbered without a gap, each after the one before it, in the order of versions', async () => {
  const caller = aCaller();
  const { workspace_id } = caller;
  const web = identifier.add(workspace_id, 'WEB');
  const { column } = await aColumn(fixture, caller);
  const label = await fixture.bus.call(createLabel, {
    ...{ ...caller, command: aCommand() },
    body: { name: 'Bug', color: '#1d76db' },
  });

  /** A client, whose requests are sent twice at once. */
  const client = async (): Promise<Card> => {
    const twice = async <T>(ask: () => Promise<T>): Promise<T> => (await Promise.all([ask(), ask()]))[0];
    const commands = upTo(5).map(aCommand);
    const { resource: made } = await twice(() => create(fixture, caller, column.id, {}, commands[0]));
    const edited = await twice(() => patch(fixture, caller, made, { title: 'New' }, commands[1]));
    const moved = await twice(() => transfer(fixture, caller, edited.resource, web.id, commands[2]));
    const mark = { ...caller, card_id: made.id, label_id: label.resource.id };
    const { version } = await twice(() => fixture.bus.call(putCardLabel, mark));
    const comment = { ...caller, command: aCommand(), card_id: made.id, body: { body: 'Text' } };
    await twice(() => fixture.bus.call(createComment, comment));
    const archive = { ...caller, command: aCommand(), card_id: made.id, if_match: [version + 1] };
    const { resource } = await twice(() => fixture.bus.call(archiveCard, archive));
    expect(moved.resource.identifier).toMatch('WEB-');
    return resource;
  };
  let isOver = false;
  const following = follow(workspace_id, () => isOver);
  const cards = await Promise.all(upTo(30).map(client));
  isOver = true;
  const noted = await notedIn(fixture, workspace_id);
  const pulled = await following;

  expect(noted.map(({ seq }) => seq)).toEqual(upTo(3 + 30 * 6));
  expect(noted.map(({ previous_id }) => previous_id)).toEqual([null, ...noted.slice(0, -1).map(({ id }) => id)]);
  const moments = noted.map(({ noted_at }) => noted_at.getTime());
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  expect(await feedOf(fixture, workspace_id)).toMatchObject({ last: noted.length, last_id: noted.at(-1)?.id });
  expect(pulled.map(({ seq, id, event }) => ({ seq, id, event }))).toEqual(
    noted.map(({ seq, id, event }) => ({ seq, id, event })),
  );
  const types = ['created', 'updated', 'transferred', 'updated', 'archived'].map((type) => `card.${type}`);
  for (const card of cards) {
    const own = noted.filter(({ card_id, type }) => card_id === card.id && type.startsWith('card.'));
    expect(own.map(({ type }) => type)).toEqual(types);
    expect(own.map(({ event }) => JSON.parse(event).data.version)).toEqual([1, 2, 3, 4, 6]);
    expect(JSON.parse(own.at(-1)?.event ?? '').data).toEqual(card);
  }
});

describe('a feed is locked after everything else: its writer waits without it for', () => {
  /** Writes while an open transaction, which is given up in the end, has what the write needs. */
  const whileTaken = async (caller: Caller, take: RawBuilder<unknown>, write: () => Promise<unknown>) => {
    const [one, other] = fixture.instances.map(({ context }) => context.db);
    if (!one || !other) throw new Error('There are two instances');
    const freed = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const taking = one.transaction(async (tx) => {
      await take.execute(tx);
      taken.resolve();
      await freed.promise;
      throw new Error('given back');
    });
    await taken.promise;
    const before = (await notedIn(fixture, caller.workspace_id)).length;
    const written = write();
    try {
      await expect.poll(() => waitingForLock(other)).toBe(1);
      // Refused at once if somebody had it.
      await other.transaction((tx) =>
        sql`select 1 from feeds where workspace_id = ${caller.workspace_id} for update nowait`.execute(tx),
      );
    } finally {
      freed.resolve();
    }
    await expect(taking).rejects.toThrow('given back');
    await written;
    expect(await notedIn(fixture, caller.workspace_id)).toHaveLength(before + 1);
  };
  test('the key of an equal command', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const { resource: card } = await create(fixture, caller, column.id);
    const writes = [
      (command: Command) => create(fixture, caller, column.id, {}, command),
      (command: Command) => patch(fixture, caller, card, { title: 'New' }, command),
      (command: Command) => transfer(fixture, caller, { ...card, version: 2 }, web.id, command),
    ];
    for (const write of writes) {
      const command = aCommand();
      const claim = sql`insert into commands (workspace_id, id, fingerprint, created_at)
        values (${caller.workspace_id}, ${command.id}, 'f', now())`;
      await whileTaken(caller, claim, () => write(command));
    }
  });

  test('an identifier that somebody else may have taken', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const { resource: card } = await create(fixture, caller, column.id);
    const taken = (name: string) => sql`
      insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
      values (${caller.workspace_id}, ${name}, ${web.id}, ${web.id}, 1, now(), ${web.id})`;
    await whileTaken(caller, taken('MAIN-2'), () => create(fixture, caller, column.id));
    await whileTaken(caller, taken('WEB-1'), () => transfer(fixture, caller, card, web.id));
  });
});
