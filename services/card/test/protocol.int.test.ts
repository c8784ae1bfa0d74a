import { deleteCard, getCard, settleOperation, unavailable } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteCard as deleteHandler } from '../src/handlers/delete-card.ts';
import { transferCard as transferHandler } from '../src/handlers/transfer-card.ts';
import { type Ground, startGround } from './support/ground.ts';
import { type IdentifierDouble, startIdentifierDouble } from './support/identifier-double.ts';
import type { Instance } from './support/instance.ts';
import { aCaller, aCard, aColumn, aCommand, create, patch, type TestCaller, transfer } from './support/making.ts';

let ground: Ground;
let identifier: IdentifierDouble;
let instance: Instance;
let other: Instance;

const pass = async () => {};
const fail = async () => {
  throw unavailable('The test says so');
};

beforeAll(async () => {
  ground = await startGround({ instances: 2 });
  [instance, other] = ground.instances as [Instance, Instance];
  identifier = await startIdentifierDouble(ground.natsUrl);
});

beforeEach(() => {
  identifier.beforeAllocation = pass;
  identifier.afterAllocation = pass;
  identifier.beforeConfirmation = pass;
});

/** Rows that the protocol keeps of a workspace's operations. */
const operationsOf = (caller: TestCaller) =>
  instance.parts.db.read((tx) =>
    tx.selectFrom('operations').selectAll().where('workspace_id', '=', caller.workspace_id).execute(),
  );

const read = (caller: TestCaller, card_id: string) => ground.bus.call(getCard, { ...caller, card_id });

/** Resolves when nothing of a workspace's operations is left to do. */
const settled = (caller: TestCaller) => eventually(async () => expect(await operationsOf(caller)).toEqual([]));

/** Resolves when a transfer is prepared: the operation that made the card may still wait for its confirmation. */
const prepared = (caller: TestCaller) =>
  eventually(async () =>
    expect(await operationsOf(caller)).toContainEqual(expect.objectContaining({ state: 'pending' })),
  );

/** Holds allocations back until they are let go. */
const holdAllocations = () => {
  const gate = Promise.withResolvers<void>();
  identifier.beforeAllocation = () => gate.promise;
  return gate;
};

test('a create and a transfer are confirmed once they committed, and then forgotten', async () => {
  const caller = aCaller();
  const web = identifier.add(caller.workspace_id, 'WEB');
  const card = await aCard(ground, caller);
  await transfer(ground, caller, card, web.id);
  await settled(caller);
  const confirmed = identifier.confirmed.filter((one) => one.workspace_id === caller.workspace_id);
  expect(confirmed.map((one) => one.card_version)).toEqual([1, 2]);
});

describe('where the identifier service fails', () => {
  test('before it gave a number: 503, and the sweeper makes the card; the same key gets it', async () => {
    const caller = aCaller();
    const { column } = await aColumn(ground, caller);
    const command = aCommand();
    identifier.beforeAllocation = fail;
    const asked = create(ground, caller, column.id, {}, command);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    expect(await operationsOf(caller)).toMatchObject([{ state: 'pending' }]);

    identifier.beforeAllocation = pass;
    await instance.parts.allocation.sweep();
    await settled(caller);
    const retried = await create(ground, caller, column.id, {}, command);
    expect(retried).toMatchObject({ replayed: true, resource: { identifier: 'MAIN-1' } });
    expect(await read(caller, retried.resource.id)).toEqual(retried.resource);
  });

  test('after it gave a number: the retry gets the card with that number', async () => {
    const caller = aCaller();
    const { column } = await aColumn(ground, caller);
    const command = aCommand();
    identifier.afterAllocation = fail;
    await expect(create(ground, caller, column.id, {}, command)).rejects.toMatchObject({ code: 'unavailable' });
    identifier.afterAllocation = pass;
    const retried = await create(ground, caller, column.id, {}, command);
    expect(retried).toMatchObject({ replayed: true, resource: { identifier: 'MAIN-1' } });
    expect(await create(ground, caller, column.id)).toMatchObject({ resource: { identifier: 'MAIN-2' } });
  });

  test('in a transfer with edits: neither, until both', async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const card = await aCard(ground, caller);
    const wish = { title: 'New', workstream_id: web.id };
    identifier.beforeAllocation = fail;
    await expect(patch(ground, caller, card, wish)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await read(caller, card.id)).toEqual(card);

    identifier.beforeAllocation = pass;
    await other.parts.allocation.sweep();
    expect(await read(caller, card.id)).toMatchObject({ title: 'New', identifier: 'WEB-1', version: 3 });
  });

  test('at the confirmation: the writer has its card, and the sweeper confirms', async () => {
    const caller = aCaller();
    identifier.beforeConfirmation = fail;
    const card = await aCard(ground, caller);
    await Promise.all([instance.parts.allocation.idle(), other.parts.allocation.idle()]);
    expect(await operationsOf(caller)).toMatchObject([{ state: 'committed', card_id: card.id, card_version: 1 }]);

    identifier.beforeConfirmation = pass;
    await instance.parts.allocation.sweep();
    await settled(caller);
    expect(identifier.confirmed).toContainEqual(
      expect.objectContaining({ workspace_id: caller.workspace_id, card_version: 1, assigned_at: card.created_at }),
    );
  });
});

test('two instances that drive one operation at once commit it once', async () => {
  const caller = aCaller();
  const { column } = await aColumn(ground, caller);
  identifier.beforeAllocation = fail;
  await expect(create(ground, caller, column.id)).rejects.toMatchObject({ code: 'unavailable' });
  identifier.beforeAllocation = pass;
  await Promise.all([instance.parts.allocation.sweep(), other.parts.allocation.sweep()]);
  await settled(caller);
  expect((await create(ground, caller, column.id)).resource.identifier).toBe('MAIN-2');
  const events = await instance.parts.db.read((tx) =>
    tx.selectFrom('outbox').select('subject').where('workspace_id', '=', caller.workspace_id).execute(),
  );
  expect(events).toEqual([{ subject: 'evt.card.created' }, { subject: 'evt.card.created' }]);
});

describe('a write that meets a pending transfer', () => {
  /** Begins a transfer on one instance and waits until it asks for its number. */
  const begin = async () => {
    const caller = aCaller();
    const web = identifier.add(caller.workspace_id, 'WEB');
    const card = await aCard(ground, caller);
    const gate = holdAllocations();
    const request = {
      ...caller,
      command: aCommand(),
      card_id: card.id,
      if_match: [1],
      body: { workstream_id: web.id },
    };
    const transferring = transferHandler(instance.parts)(request);
    await prepared(caller);
    return { caller, card, gate, transferring };
  };

  test('helps it to its end first, on another instance too, and then sees what it made', async () => {
    const { caller, card, gate, transferring } = await begin();
    const asked = identifier.asked.length;
    const request = { ...caller, command: aCommand(), card_id: card.id };
    const stale = deleteHandler(other.parts)({ ...request, if_match: [1] });
    const refused = expect(stale).rejects.toMatchObject({
      code: 'precondition_failed',
      details: { current_version: 2 },
    });
    await eventually(() => expect(identifier.asked.length).toBeGreaterThan(asked));
    gate.resolve();
    await refused;
    expect(await transferring).toMatchObject({ resource: { identifier: 'WEB-1', version: 2 } });
    const fresh = { ...caller, command: aCommand(), card_id: card.id, if_match: [2] };
    expect(await ground.bus.call(deleteCard, fresh)).toEqual({ deleted: true });
    await expect(read(caller, card.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is 503 where it does not end within 2 s, and changes nothing', async () => {
    const { caller, card, gate, transferring } = await begin();
    const started = Date.now();
    await expect(patch(ground, caller, card, { title: 'Other' })).rejects.toMatchObject({ code: 'unavailable' });
    expect(Date.now() - started).toBeLessThan(4_000);
    gate.resolve();
    await transferring;
    expect(await read(caller, card.id)).toMatchObject({ title: 'Card', identifier: 'WEB-1', version: 2 });
  });

  test('goes ahead where the transfer is refused', async () => {
    const caller = aCaller();
    const card = await aCard(ground, caller);
    const gate = holdAllocations();
    const refused = expect(transfer(ground, caller, card, v7())).rejects.toMatchObject({ code: 'not_found' });
    await prepared(caller);
    const edited = patch(ground, caller, card, { title: 'Other' });
    gate.resolve();
    expect(await edited).toMatchObject({ resource: { title: 'Other', version: 2, identifier: 'MAIN-1' } });
    await refused;
    await settled(caller);
  });
});

describe('the question what became of an operation', () => {
  const settle = (caller: TestCaller, operation_id: string) =>
    ground.bus.call(settleOperation, { workspace_id: caller.workspace_id, operation_id });

  test('drives a pending one to its end and tells of the commit', async () => {
    const caller = aCaller();
    const { column } = await aColumn(ground, caller);
    identifier.beforeAllocation = fail;
    await expect(create(ground, caller, column.id)).rejects.toMatchObject({ code: 'unavailable' });
    identifier.beforeAllocation = pass;
    identifier.beforeConfirmation = fail;
    const [operation] = await operationsOf(caller);
    const answer = await settle(caller, operation?.id ?? '');
    const card = await read(caller, operation?.card_id ?? '');
    expect(answer).toEqual({ result: 'committed', card_version: 1, assigned_at: card.created_at });
  });

  test('is unavailable while it cannot', async () => {
    const caller = aCaller();
    const { column } = await aColumn(ground, caller);
    identifier.beforeAllocation = fail;
    await expect(create(ground, caller, column.id)).rejects.toMatchObject({ code: 'unavailable' });
    const [operation] = await operationsOf(caller);
    await expect(settle(caller, operation?.id ?? '')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is unknown for one that never was, and for one of another workspace', async () => {
    const caller = aCaller();
    expect(await settle(caller, v7())).toEqual({ result: 'unknown' });
    identifier.beforeConfirmation = fail;
    await aCard(ground, caller);
    const [operation] = await operationsOf(caller);
    expect(await settle(aCaller(), operation?.id ?? '')).toEqual({ result: 'unknown' });
  });
});
