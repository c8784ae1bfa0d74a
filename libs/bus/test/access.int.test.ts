import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import {
  CardinalError,
  createFile,
  declaredRequests,
  declaredSignals,
  deleteBoard,
  feedsGrew,
  getBoard,
  keysOf,
  logMarkKey,
  logsGrew,
  type RegisterName,
  registerNames,
  registerOf,
  registers,
  type ServiceName,
  serviceNames,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { type Nats, startNats } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import { connect, Events, type NatsConnection } from 'nats';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { connectBus, declareRegisters } from '../src/index.ts';

const soon = { timeout: 60_000 };
let nats: Nats;

beforeAll(async () => {
  nats = await startNats({ dir: scratchFolder('nats') });
  await declareRegisters({ url: nats.url });
  return () => nats.stop();
});

/** An attacker with the password of a service and a client of their own. */
const thief = async (service: ServiceName): Promise<NatsConnection> => {
  const { username, password, host } = new URL(nats.urls[service] ?? '');
  const pass = decodeURIComponent(password);
  const options = { servers: host, user: username, pass, inboxPrefix: `_INBOX.${service}`, noAsyncTraces: true };
  const client = await connect(options);
  onTestFinished(() => client.close());
  return client;
};
/** The service itself. */
const service = async (name: ServiceName, lines: string[] = []) => {
  const logger = createLogger({ service: name, level: 'warn', destination: { write: (line) => lines.push(line) } });
  const bus = await connectBus({ url: nats.urls[name] ?? '', name, logger, drainTimeoutMs: 100 });
  onTestFinished(() => bus.drain());
  return bus;
};

/** Attempts something with each subject. @returns those for which the broker reported a violation */
const refused = async (client: NatsConnection, attempts: string[], attempt: (subject: string) => void) => {
  const violated = new Set<string>();
  const status = client.status();
  void (async () => {
    for await (const { type, permissionContext } of status) {
      if (type === Events.Error && permissionContext) violated.add(permissionContext.subject);
    }
  })();
  for (const subject of attempts) attempt(subject);
  // The broker answers this after everything before.
  await client.flush();
  await nextTick();
  return attempts.filter((subject) => violated.has(subject));
};

const others = (name: ServiceName) => serviceNames.filter((one) => one !== name);

/** Subjects that change streams and consumers, or read past them. */
const administration = [
  '$JS.API.INFO',
  '$JS.API.STREAM.CREATE.OTHER',
  '$JS.API.STREAM.LIST',
  '$JS.API.STREAM.NAMES',
  '$SYS.REQ.SERVER.PING',
  ...registerNames.flatMap((name) => [
    ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'SNAPSHOT', 'RESTORE', 'INFO', 'MSG.DELETE'].map(
      (verb) => `$JS.API.STREAM.${verb}.KV_${registers[name].bucket}`,
    ),
    `$JS.API.DIRECT.GET.KV_${registers[name].bucket}`,
    ...['CONSUMER.LIST', 'CONSUMER.NAMES', 'CONSUMER.CREATE'].map(
      (verb) => `$JS.API.${verb}.KV_${registers[name].bucket}`,
    ),
    ...['CONSUMER.CREATE', 'CONSUMER.DURABLE.CREATE'].map((verb) => `$JS.API.${verb}.KV_${registers[name].bucket}.own`),
  ]),
];

/** Every key of every register, with its writers. */
const keys = registerNames.flatMap((register) =>
  [...new Set(serviceNames.flatMap((name) => keysOf(register, name))), 'anything'].map((key) => ({
    register,
    subject: `$KV.${registers[register].bucket}.${key.replaceAll('*', 'x')}`,
    writers: serviceNames.filter((name) => keysOf(register, name).includes(key)),
  })),
);

describe.each(serviceNames)('with the password of %s', (name) => {
  it('one can send only the requests and signals of the service', async () => {
    const subjects = [
      ...declaredRequests.filter(({ callers }) => !callers.includes(name)).map(({ subject }) => subject),
      ...serviceNames.map((one) => `rpc.${one}.anything`),
      ...(name === 'gateway' ? [] : serviceNames.map((one) => `rpc.${one}.ping`)),
      ...others(name).map((other) => `_INBOX.${other}.x.y`),
      ...declaredSignals.filter(({ from }) => !from.includes(name)).map(({ signal }) => signal),
      '_INBOX.deploy.x',
      'evt.anything',
      'sig.anything',
    ];
    const client = await thief(name);
    expect(await refused(client, subjects, (subject) => client.publish(subject, '[]'))).toEqual(subjects);
  });

  it('one can subscribe only to the requests and answers of the service', async () => {
    const subjects = [
      ...others(name).flatMap((other) => [`rpc.${other}.*`, `_INBOX.${other}.>`]),
      ...declaredRequests.filter(({ subject }) => !subject.startsWith(`rpc.${name}.`)).map(({ subject }) => subject),
      ...declaredSignals.filter(({ to }) => !to.includes(name)).map(({ signal }) => signal),
      ...['_INBOX.deploy.>', '_INBOX.>', 'rpc.>', 'rpc.*.*', 'evt.>', 'sig.>', '$JS.>', '$SYS.>', '>'],
    ];
    const client = await thief(name);
    const listen = (subject: string) => void client.subscribe(subject, { callback: () => {} });
    expect(await refused(client, subjects, listen)).toEqual(subjects);
  });

  it('one cannot change streams or consumers', async () => {
    const client = await thief(name);
    expect(await refused(client, administration, (subject) => client.publish(subject, '{}'))).toEqual(administration);
  });

  it(`one can write ${keys.filter(({ writers }) => writers.includes(name)).length} keys of registers`, async () => {
    const client = await thief(name);
    const subjects = keys.map(({ subject }) => subject);
    const expected = keys.filter(({ writers }) => !writers.includes(name)).map(({ subject }) => subject);
    expect(await refused(client, subjects, (subject) => client.publish(subject, '{}'))).toEqual(expected);
  });

  const own = registerOf(name);
  it(`one can read ${own ? `the register ${own} alone` : 'no register'}`, async () => {
    const client = await thief(name);
    const readingOf = (one: RegisterName) => `$JS.API.STREAM.MSG.GET.KV_${registers[one].bucket}`;
    const subjects = registerNames.map(readingOf);
    const expected = registerNames.filter((one) => one !== own).map(readingOf);
    expect(await refused(client, subjects, (subject) => client.publish(subject, '{}'))).toEqual(expected);
  });
});

it('there are registers of the numbers, of the log, and of API keys and people, each with its keys', () => {
  const writing = (name: ServiceName) =>
    keys.flatMap(({ subject, writers }) => (writers.includes(name) ? [subject] : []));
  const [numbers, log, access] = ['$KV.CARDINAL_REGISTER', '$KV.CARDINAL_LOG', '$KV.CARDINAL_ACCESS'];
  expect(Object.fromEntries(serviceNames.map((name) => [name, writing(name)]))).toEqual({
    identifier: [`${numbers}.lineage`, `${numbers}.mark.x.x`],
    card: [`${numbers}.lineage`],
    dependency: [],
    attachment: [],
    gateway: [],
    event: [`${log}.log`, `${log}.log.x`, `${log}.webhook.x.x`],
    access: [`${access}.access`, `${access}.key.x.x`, `${access}.person.x.x`],
  });
});

describe('an invalid value of a register', () => {
  const shape = z.object({ n: z.int() });
  it.each(['nonsense', '"text"', '{"n": "1"}', 'null'])(
    'is logged and counts as lost until it is written: %s',
    async (text) => {
      const client = await thief('event');
      const key = logMarkKey(randomUUID());
      await client.jetstream().publish(`$KV.CARDINAL_LOG.${key}`, text);
      const lines: string[] = [];
      const { register } = await service('event', lines);
      const read = await register.read(key, shape);
      expect(read).toEqual({ revision: expect.any(Number) });
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        level: 'error',
        register: 'log',
        key,
        revision: read.revision,
      });
      const revision = await register.write(key, { n: 2 }, read.revision);
      expect(await register.read(key, shape)).toEqual({ value: { n: 2 }, revision });
      expect(lines).toHaveLength(1);
    },
  );
});

describe('a board of another tenant', () => {
  const deletion = () => ({
    workspace_id: randomUUID(),
    user_id: randomUUID(),
    board_id: randomUUID(),
    if_match: [1],
    command: { id: randomUUID(), fingerprint: 'f' },
  });
  /** A card service that notes which boards it is asked to delete. */
  const cards = async () => {
    const [deleted, read]: [string[], string[]] = [[], []];
    const bus = await service('card');
    bus.serve(deleteBoard, async ({ board_id }) => {
      deleted.push(board_id);
      return { deleted: true as const };
    });
    bus.serve(getBoard, async ({ board_id }) => {
      read.push(board_id);
      throw new CardinalError('not_found', 'No such board');
    });
    await bus.ping();
    return { deleted, read };
  };
  /** The gateway's own deletion, sent after all the others. */
  const properDeletion = async () => {
    const proper = deletion();
    await (await service('gateway')).call(deleteBoard, proper);
    return proper.board_id;
  };

  it('cannot be deleted by an answer sent to the subject of a request', async () => {
    const { deleted, read } = await cards();
    const client = await thief('attachment');
    const reply = deleteBoard.subject;
    client.publish(getBoard.subject, JSON.stringify([deletion()]), { reply });
    await client.flush();
    const proper = await properDeletion();
    expect([deleted, read]).toEqual([[proper], []]);
  });

  it('is as safe as the register: no answer makes the gateway send something to the broker', async () => {
    const client = await thief('attachment');
    client.subscribe(createFile.subject, {
      callback: (_, message) =>
        client.publish(message.reply ?? '', 'x', { reply: `$JS.API.STREAM.DELETE.KV_${registers.numbers.bucket}` }),
    });
    await client.flush();
    const request = { ...deletion(), body: { name: 'a.png', board_id: null } };
    await expect((await service('gateway')).call(createFile, request)).rejects.toThrow('could not be read');
    expect(await declareRegisters({ url: nats.url })).toEqual([]);
  });
});

it('the password of each service suffices for its work', async () => {
  const lines: string[] = [];
  const [gateway, card, log] = [
    await service('gateway', lines),
    await service('card', lines),
    await service('event', lines),
  ];
  const board_id = randomUUID();
  const name = 'x'.repeat(1_000_000);
  card.serve(getBoard, async (request) => ({
    id: request.board_id,
    type: 'board' as const,
    version: 1,
    name,
    visibility: 'workspace' as const,
    default_workstream_id: null,
    created_by: request.user_id,
    archived_at: null,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: '2026-01-02T03:04:05.678Z',
  }));
  await card.ping();

  const who = { workspace_id: randomUUID(), user_id: randomUUID() };
  // More than the window of unread answers.
  for (const _ of Array(6).keys()) expect((await gateway.call(getBoard, { ...who, board_id })).id).toBe(board_id);

  const heard: unknown[] = [];
  log.onSignal(feedsGrew, (said) => void heard.push(said));
  gateway.onSignal(logsGrew, (said) => void heard.push(said));
  await Promise.all([log.ping(), gateway.ping()]);
  const grown = { owner: 'card' as const, workspace_ids: [who.workspace_id] };
  card.signal(feedsGrew, grown);
  await vi.waitFor(() => expect(heard).toEqual([grown]), soon);
  const logs = [{ workspace_id: who.workspace_id, last: 7 }];
  log.signal(logsGrew, { logs });
  await vi.waitFor(() => expect(heard).toEqual([grown, { logs }]), soon);

  expect(lines).toEqual([]);
});
