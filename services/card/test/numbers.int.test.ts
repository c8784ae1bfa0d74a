import {
  type Caller,
  closeRange,
  getCard,
  getCardByIdentifier,
  projectWorkstream,
  replyOf,
  workstreamChanged,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually, goldenEvent } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { cardEditor } from '../src/cards/edit.ts';
import { aCard, aColumn, create, patch, transfer } from './support/builders.ts';
import type { IdentifierDouble } from './support/identifier-double.ts';
import type { Instance } from './support/instance.ts';
import { createHandler, fail, pass, startNumbers } from './support/numbers.ts';

const { fixture, identifier, instance, other, idle, settled, unrecordedOf } = await startNumbers();

beforeEach(() => {
  Object.assign(identifier, { granted: 1_000, beforeGrant: pass, afterGrant: pass, beforeRecord: pass });
  identifier.resolved.length = 0;
});

const close = ({ workspace_id }: Caller, workstream: ReturnType<IdentifierDouble['add']>) =>
  fixture.bus.call(closeRange, { workspace_id, workstream, epoch: 1 });
const askedFor = (id: string) => identifier.asked.filter(({ workstream_id }) => workstream_id === id);

describe('what was issued', () => {
  test('reaches the ledger once, with the version, time and writer of its change', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const card = await aCard(fixture, caller);
    const { resource } = await patch(fixture, caller, card, { title: 'New', workstream_id: web.id });
    await settled(caller);
    const about = { workspace_id: caller.workspace_id, card_id: card.id, assigned_by: caller.user_id };
    expect(identifier.recorded(caller.workspace_id)).toEqual([
      {
        ...{ ...about, identifier: 'MAIN-1', workstream_id: card.workstream.id },
        ...{ card_version: 1, assigned_at: card.created_at },
      },
      {
        ...{ ...about, identifier: 'WEB-1', workstream_id: web.id },
        ...{ card_version: 3, assigned_at: resource.updated_at },
      },
    ]);
  });

  test('is found by name before the ledger knows it, former names too, and the sweeper brings it there', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    identifier.beforeRecord = fail;
    const card = await aCard(fixture, caller);
    const moved = await transfer(fixture, caller, card, web.id);
    // Nobody asks for its former name before the ledger knows it, so no process remembers it.
    await transfer(fixture, caller, await aCard(fixture, caller), web.id);
    await idle();
    for (const name of ['MAIN-1', 'web-1']) {
      const found = await fixture.bus.call(getCardByIdentifier, { ...caller, identifier: name });
      expect(found.card).toEqual(moved.resource);
    }
    expect(await unrecordedOf(caller)).toHaveLength(4);

    identifier.beforeRecord = pass;
    await Promise.all([instance.context.recorder.sweep(), other.context.recorder.sweep()]);
    await settled(caller);
    expect(identifier.recorded(caller.workspace_id)).toHaveLength(4);
    expect(identifier.resolved).toEqual([]);
    await instance.context.db.read((tx) =>
      tx.deleteFrom('issued').where('workspace_id', '=', caller.workspace_id).execute(),
    );
    const alias = await fixture.bus.call(getCardByIdentifier, { ...caller, identifier: 'MAIN-2' });
    expect(alias).toMatchObject({ is_alias: true, current_identifier: 'WEB-2' });
    expect(identifier.resolved).toEqual(['MAIN-2']);
  });

  test('is brought to the ledger by the sweeper, however far ahead the clock was that issued it', async () => {
    const caller = aCaller();
    identifier.beforeRecord = fail;
    await aCard(fixture, caller);
    await idle();
    identifier.beforeRecord = pass;
    const { db, recorder } = other.context;
    const ahead = new Date(Date.now() + 600_000);
    await db.read((tx) =>
      tx.updateTable('issued').set({ assigned_at: ahead }).where('workspace_id', '=', caller.workspace_id).execute(),
    );
    await recorder.sweep();
    expect(await unrecordedOf(caller)).toEqual([]);
    expect(identifier.recorded(caller.workspace_id)).toHaveLength(1);
  });

  test('and is refused by the ledger stays unrecorded, and the next number waits for a grant', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const body = { title: 'Card', workstream_id: web.id };
    const handle = createHandler(instance.context);
    const make = async () => (await handle({ ...caller, command: aCommand(), column_id: column.id, body })).resource;
    await make();
    await settled(caller);
    const [recorded] = identifier.recorded(caller.workspace_id);
    identifier.plant({ ...(recorded as NonNullable<typeof recorded>), identifier: 'WEB-2', card_id: v7() });
    await make();
    await eventually(async () => {
      const range = await instance.context.db.read((tx) =>
        tx.selectFrom('workstreams').selectAll().where('id', '=', web.id).executeTakeFirstOrThrow(),
      );
      expect(range.granted_through).toBe(range.last_number);
    });
    expect(await unrecordedOf(caller)).toMatchObject([{ identifier: 'WEB-2' }]);
    expect(await make()).toMatchObject({ identifier: 'WEB-3' });
    expect(askedFor(web.id)).toHaveLength(2);
  });
});

describe('a range', () => {
  test('that is used up is granted anew, and no number is left out', async () => {
    const caller = aCaller();
    identifier.granted = 7;
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const wish = { workstream_id: web.id };
    const made = await Promise.all(Array.from({ length: 60 }, () => create(fixture, caller, column.id, wish)));
    const numbers = made.map(({ resource }) => Number(resource.identifier.replace('WEB-', '')));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  test('is extended once half of it is used', async () => {
    const caller = aCaller();
    identifier.granted = 8;
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    // In one process: another one that has read the range later knows only what is left of it.
    const handle = createHandler(instance.context);
    const body = { title: 'Card', workstream_id: web.id };
    for (let count = 0; count < 4; count += 1)
      await handle({ ...caller, command: aCommand(), column_id: column.id, body });
    await eventually(() => expect(askedFor(web.id).at(-1)).toMatchObject({ last_number: 4 }));
  });

  test('is granted once, whichever process issues from it', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const request = () => ({ ...caller, command: aCommand(), column_id: column.id, body: { title: 'Card' } });
    const asked = identifier.asked.length;
    for (const { context } of [instance, other, instance]) await createHandler(context)(request());
    expect(identifier.asked.length - asked).toBe(1);
  });

  test('that nobody grants now is 503; nothing is kept of the request, and the same one goes through later', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const card = await aCard(fixture, caller);
    const [creating, moving] = [aCommand(), aCommand()];
    identifier.beforeGrant = fail;
    const wish = { workstream_id: web.id };
    await expect(create(fixture, caller, column.id, wish, creating)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(transfer(fixture, caller, card, web.id, moving)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(card);
    identifier.beforeGrant = pass;
    const made = await create(fixture, caller, column.id, wish, creating);
    expect(made).toMatchObject({ replayed: false, resource: { identifier: 'WEB-1' } });
    expect(await transfer(fixture, caller, card, web.id, moving)).toMatchObject({ resource: { identifier: 'WEB-2' } });
  });
});

describe('a range that was closed', () => {
  /** Lets `first` be carried out, and archives the workstream, while the next one waits for its grant. */
  const whileNextWaits = (caller: Caller, web: ReturnType<IdentifierDouble['add']>, first: () => Promise<unknown>) => {
    identifier.beforeGrant = async () => {
      identifier.beforeGrant = pass;
      await first();
      await close(caller, web);
      web.archived_at = new Date().toISOString();
    };
  };

  test('refuses no create that took its number before, sent to another process', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const body = { title: 'Card', workstream_id: web.id };
    const request = { ...caller, command: aCommand(), column_id: column.id, body };
    const answers: unknown[] = [];
    whileNextWaits(caller, web, async () => answers.push(await createHandler(instance.context)(request)));
    const again = await createHandler(other.context)(request);
    expect(again).toMatchObject({ replayed: true, resource: { identifier: 'WEB-1' } });
    expect(answers).toEqual([{ ...again, replayed: false }]);
  });

  test('refuses no transfer that took its number before, sent to another process', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const card = await aCard(fixture, caller);
    const request = { ...caller, command: aCommand(), card_id: card.id, if_match: [card.version] };
    const move = ({ context }: Instance) => cardEditor(context).editOne(request, { workstream_id: web.id });
    whileNextWaits(caller, web, () => move(instance));
    expect(replyOf(await move(other))).toMatchObject({ replayed: true, resource: { identifier: 'WEB-1' } });
  });

  test('issues nothing more, and a grant that comes late does not open it', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const card = await aCard(fixture, caller);
    const gate = Promise.withResolvers<void>();
    const asked = askedFor(web.id).length;
    identifier.afterGrant = () => gate.promise;
    const moving = transfer(fixture, caller, card, web.id);
    await eventually(() => expect(askedFor(web.id).length).toBeGreaterThan(asked));
    await close(caller, web);
    gate.resolve();
    await expect(moving).rejects.toMatchObject({ code: 'conflict', message: 'The workstream is archived' });
    await expect(aCard(fixture, caller, { workstream_id: web.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is closed in the epoch that it is by now, and in no other', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    await aCard(fixture, caller, { workstream_id: web.id });
    const closeIn = (epoch: number) =>
      fixture.bus.call(closeRange, { workspace_id: caller.workspace_id, workstream: web, epoch });
    const { epoch } = await instance.context.lineage.met();
    for (const wrong of [epoch - 1, epoch + 1]) {
      if (wrong > 0) await expect(closeIn(wrong)).rejects.toMatchObject({ code: 'unavailable' });
    }
    await aCard(fixture, caller, { workstream_id: web.id });
    expect(await closeIn(epoch)).toEqual({ closed: true });
  });

  test('issues nothing to those that it was closed under', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const { column } = await aColumn(fixture, caller);
    const wish = { workstream_id: web.id };
    await create(fixture, caller, column.id, wish);
    const racing = Array.from({ length: 40 }, () => create(fixture, caller, column.id, wish));
    const outcomes = Promise.allSettled(racing);
    await close(caller, web);
    const rangeOf = () =>
      instance.context.db.read((tx) =>
        tx.selectFrom('workstreams').select('last_number').where('id', '=', web.id).executeTakeFirstOrThrow(),
      );
    const { last_number } = await rangeOf();
    const made = (await outcomes).filter(({ status }) => status === 'fulfilled').length + 1;
    expect([made, await rangeOf()]).toEqual([last_number, { last_number }]);
  });

  test('is known by the archived workstream too, where the close was lost with a database', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB', { archived_at: '2026-01-01T00:00:00.000Z' });
    for (let time = 0; time < 2; time += 1) {
      await expect(aCard(fixture, caller, { workstream_id: web.id })).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(askedFor(web.id)).toHaveLength(1);
  });
});

test('a grant that was given before a change of name does not undo it', async () => {
  const caller = aCaller();
  const web = identifier.add(caller.workspace_id, 'WEB');
  const gate = Promise.withResolvers<void>();
  identifier.afterGrant = () => gate.promise;
  const making = aCard(fixture, caller, { workstream_id: web.id });
  await eventually(() => expect(askedFor(web.id)).toHaveLength(1));
  Object.assign(web, { name: 'Website', version: 2 });
  const event = goldenEvent(workstreamChanged, {
    ...{ workspace_id: caller.workspace_id, aggregate_id: web.id, aggregate_version: 2 },
    data: { ...web },
  });
  await fixture.bus.call(projectWorkstream, event);
  gate.resolve();
  expect((await making).workstream.name).toBe('Website');
});

test('the first number of a workspace is asked for in the name of who needs it', async () => {
  const caller = aCaller();
  await aCard(fixture, caller);
  const [asked] = identifier.asked.filter(({ workspace_id }) => workspace_id === caller.workspace_id);
  expect(asked).toMatchObject({ workstream_id: null, user_id: caller.user_id });
});
