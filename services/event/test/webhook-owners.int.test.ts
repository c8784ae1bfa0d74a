import type { Caller } from '@cardinal/contracts';
import * as contracts from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Received, startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const { bus } = harness;

const page = { limit: 10 };
const refused = (code: string) => expect.objectContaining({ code });

/** A webhook on a board that only its creator sees, and another admin. */
const given = async (url = 'https://receiver.invalid/hooks/T0P/s3cret?token=1') => {
  const [creator, board] = [aCaller(), v7()];
  const other = aCaller(creator.workspace_id);
  harness.show(board, creator);
  const more = { board_id: board, types: ['card.*'], description: 'for the private board' };
  const made = await harness.hook(creator, url, more);
  const command = (by: Caller, version = made.version) => ({
    ...by,
    webhook_id: made.id,
    command: aCommand(),
    if_match: [version],
  });
  return { creator, other, board, made, command };
};

describe('another admin, who does not see the board', () => {
  it('sees that the webhook exists, its creator, and the host of its URL', async () => {
    const { creator, other, board, made } = await given();
    const { resource } = await bus.call(contracts.rotateWebhook, {
      ...creator,
      webhook_id: made.id,
      command: aCommand(),
      if_match: [1],
    });
    const { secret: _, ...whole } = resource;
    const reduced = {
      ...whole,
      url: 'https://receiver.invalid/',
      board_id: null,
      description: null,
      former_secret_until: null,
    };
    expect(await harness.read(creator, made.id)).toEqual(whole);
    expect(whole).toMatchObject({ board_id: board, former_secret_until: expect.any(String) });
    expect(await harness.read(other, made.id)).toEqual(reduced);
    expect((await bus.call(contracts.listWebhooks, { ...other, page })).items).toEqual([reduced]);
    expect((await bus.call(contracts.listWebhooks, { ...creator, page })).items).toEqual([whole]);
  });

  const operations: [string, (by: Caller, id: string, version: number) => Promise<unknown>][] = [
    ...[
      { url: 'https://evil.invalid/' },
      { types: [] },
      { board_id: null },
      { description: 'mine' },
      { state: 'active' as const },
      { state: 'paused' as const, description: 'mine' },
    ].map((body): (typeof operations)[number] => [
      `PATCH ${JSON.stringify(body)}`,
      (by, webhook_id, version) =>
        bus.call(contracts.patchWebhook, { ...by, webhook_id, command: aCommand(), if_match: [version], body }),
    ]),
    [
      'PATCH a board that is hidden from them',
      async (by, webhook_id, version) => {
        const board_id = v7();
        harness.show(board_id);
        const body = { board_id };
        return bus.call(contracts.patchWebhook, { ...by, webhook_id, command: aCommand(), if_match: [version], body });
      },
    ],
    [
      'rotate',
      (by, webhook_id, version) =>
        bus.call(contracts.rotateWebhook, { ...by, webhook_id, command: aCommand(), if_match: [version] }),
    ],
    [
      'replay',
      (by, webhook_id, version) => {
        const body = { after: 0 };
        return bus.call(contracts.replayWebhook, { ...by, webhook_id, command: aCommand(), if_match: [version], body });
      },
    ],
    ['ping', (by, webhook_id) => bus.call(contracts.pingWebhook, { ...by, webhook_id, command: aCommand() })],
    ['list deliveries', (by, webhook_id) => bus.call(contracts.listDeliveries, { ...by, webhook_id, page })],
  ];
  it.each(operations)('may not %s: the check comes after a 404, before a 412, and nothing changes', async (_, ask) => {
    const { creator, other, made } = await given();
    const before = await harness.read(creator, made.id);
    await expect(ask(other, v7(), 1)).rejects.toEqual(refused('not_found'));
    await expect(ask(aCaller(), made.id, 1)).rejects.toEqual(refused('not_found'));
    for (const version of [1, 99])
      await expect(ask(other, made.id, version)).rejects.toEqual(refused('insufficient_scope'));
    expect(await harness.read(creator, made.id)).toEqual(before);
    expect(await harness.deliveries(creator, made.id)).toEqual([]);
  });

  it('may pause it, gets the reduced webhook as the answer, and may not enable it again', async () => {
    const { creator, other, made, command } = await given();
    const pause = { ...command(other), body: { state: 'paused' as const } };
    await expect(bus.call(contracts.patchWebhook, { ...pause, if_match: [99] })).rejects.toEqual(
      refused('precondition_failed'),
    );
    const answer = await bus.call(contracts.patchWebhook, pause);
    expect(answer.resource).toEqual(await harness.read(other, made.id));
    expect(answer.resource).toMatchObject({ state: 'paused', version: 2, url: 'https://receiver.invalid/' });
    expect(await bus.call(contracts.patchWebhook, pause)).toEqual({ ...answer, replayed: true });
    const enable = { ...command(other, 2), body: { state: 'active' as const } };
    await expect(bus.call(contracts.patchWebhook, enable)).rejects.toEqual(refused('insufficient_scope'));
    expect(await harness.patch(creator, made.id, { state: 'active' })).toMatchObject({ state: 'active', version: 3 });
  });

  it('may delete it', async () => {
    const { creator, other, made, command } = await given();
    await bus.call(contracts.deleteWebhook, command(other));
    await expect(harness.read(creator, made.id)).rejects.toEqual(refused('not_found'));
  });
});

const verifies = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

describe('an admin who takes a webhook over', () => {
  it('is its creator from then on, with a new secret, and gets the events that they see', async () => {
    const [creator, receiver, board] = [aCaller(), await startReceiver(), v7()];
    const other = aCaller(creator.workspace_id);
    harness.show(board, creator);
    const { id: webhook_id, secret: former } = await harness.hook(creator, receiver.url, { private_boards: true });
    await harness.log(creator.workspace_id, [{ board, title: 'seen by the first' }]);
    await eventually(async () => expect(await harness.deliveries(creator, webhook_id)).toHaveLength(1));
    const { version } = await harness.read(other, webhook_id);
    const take = { ...other, webhook_id, command: aCommand(), if_match: [version] };
    await expect(bus.call(contracts.takeoverWebhook, { ...take, if_match: [99] })).rejects.toEqual(
      refused('precondition_failed'),
    );
    const taken = await bus.call(contracts.takeoverWebhook, take);
    expect(taken.resource).toMatchObject({
      created_by: other.user_id,
      url: receiver.url,
      version: version + 1,
      former_secret_until: null,
      private_boards: false,
      secret: expect.not.stringContaining(former),
    });
    expect(await bus.call(contracts.takeoverWebhook, take)).toEqual({ ...taken, replayed: true });
    const { secret, ...whole } = taken.resource;
    expect(await harness.read(other, webhook_id)).toEqual(whole);
    // Deliveries from before the take-over are not listed.
    expect(await harness.deliveries(other, webhook_id)).toEqual([]);
    await expect(harness.deliveries(creator, webhook_id)).rejects.toEqual(refused('insufficient_scope'));
    expect((await harness.read(creator, webhook_id)).url).toBe(new URL('/', receiver.url).href);

    await harness.log(creator.workspace_id, [{ board, title: 'not seen by the second' }, { title: 'seen by all' }]);
    await eventually(async () => expect(await harness.deliveries(other, webhook_id)).toHaveLength(1));
    expect(receiver.received.map(({ event }) => event.data?.title)).toEqual(['seen by the first', 'seen by all']);
    const [before, since] = receiver.received as [Received, Received];
    expect([former, secret].map((one) => verifies(one, before))).toEqual([true, false]);
    expect([former, secret].map((one) => verifies(one, since))).toEqual([false, true]);
  });

  it('gets of the pending events those that they see', async () => {
    const [creator, receiver, board] = [aCaller(), await startReceiver(status(500)), v7()];
    const other = aCaller(creator.workspace_id);
    harness.show(board, creator);
    const { id: webhook_id } = await harness.hook(creator, receiver.url, { private_boards: true });
    await harness.log(creator.workspace_id, [
      { board, card: v7(), title: 'hidden' },
      { card: v7(), title: 'seen' },
    ]);
    await eventually(async () => expect(await harness.failuresOf(creator, webhook_id)).toHaveLength(2));
    receiver.answer = status(200);
    const { version } = await harness.read(other, webhook_id);
    await bus.call(contracts.takeoverWebhook, { ...other, webhook_id, command: aCommand(), if_match: [version] });
    await harness.pass(10_000, () => expect(receiver.received).toHaveLength(3));
    expect(receiver.received.at(-1)?.event.data?.title).toBe('seen');
  });
});
