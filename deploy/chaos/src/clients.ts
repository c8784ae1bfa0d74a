import { createClient } from '@cardinal/client/source';
import * as api from '@cardinal/contracts';
import { v4 } from 'uuid';
import { Client, type Done } from './client.ts';
import { drawIntent } from './intents/index.ts';
import { keepKeys } from './intents/keys.ts';
import { keepBoards } from './intents/private.ts';
import { newWorkstream } from './intents/workstreams.ts';
import { Knowledge } from './knowledge.ts';
import { randomOf } from './random.ts';
import type { Random, System } from './system.ts';

export interface LoadOptions {
  system: System;
  seed: number;
  /** Requests a second of all clients together, on average. */
  rate: number;
  record: (exchange: Done) => void;
  /** Receives the ids of boards and columns that only their creator sees. */
  secrets?: Set<string>;
  /** Called for each empty workspace, with a user who will see everything in it. */
  begin?: (workspace: string, user: string) => Promise<void>;
}

/** Clients that send requests at the same time. */
const clients = 24;
/** Few, so that requests of clients conflict. */
const workspaces = 2;
const usersOfEach = 3;
const columnsOfEach = 3;
const workstreamsAtFirst = 3;
const imagesOfEach = 2;
/** Numbers of keepers follow those of the clients, and of the clients that prepare workspaces. */
const firstKeeper = (clients + 1) * workspaces;

/** Whether a client keeps boards that no other client may see. */
export const isKeeper = (client: number): boolean => client >= firstKeeper;

/** Ids of workspaces and users come from the seed, too. */
const uuid = (random: Random) => v4({ random: Uint8Array.from({ length: 16 }, () => random.int(0, 255)) });

/** A white image of one pixel, a PNG. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

/** Repeats a step of the preparation until it succeeds. */
const needed = async (client: Client, act: () => Promise<Done>): Promise<Done> => {
  for (let tries = 0; tries < 20; tries += 1) {
    const done = await act();
    if (done.answer && done.answer.status < 300) return done;
    await client.wait(500);
  }
  throw new Error('a workspace could not be prepared: the system does not answer');
};

/** Uploads an image. The history does not contain it, so no check judges it. */
const uploadImage = async (client: Client, baseUrl: string, token: string): Promise<void> => {
  const { files } = createClient({ baseUrl, token });
  const { id } = await files.upload({ name: `${client.name()}.png` }, pixel);
  client.knows.images.push(id);
};

/** Boards, columns, workstreams, labels, images and a few cards. */
const prepare = async (client: Client, system: System): Promise<void> => {
  const make = (operation: api.Operation, name: string, ids: string[] = []) =>
    needed(client, () => client.ask(operation, ids, { body: { name } }));
  // The list creates MAIN, so it is the first known workstream.
  await needed(client, () => client.ask(api.listWorkstreams));
  for (let made = 0; made < workstreamsAtFirst; made += 1)
    await needed(client, () => client.send(newWorkstream(client)));
  for (const name of ['one', 'two']) {
    const board = (await make(api.createBoard, name)).answer?.body.resource?.id ?? '';
    for (let made = 0; made < columnsOfEach; made += 1) await make(api.createColumn, client.name(), [board]);
  }
  for (const name of ['bug', 'chore']) await make(api.createLabel, `${name} ${client.name()}`);
  const [gateway] = system.gateways;
  const token = client.knows.users[client.user]?.token;
  for (let made = 0; made < imagesOfEach; made += 1)
    if (gateway && token) await uploadImage(client, gateway.baseUrl, token);
};

/** Acts on one intent after the other, at random moments that keep the rate on average. */
const live = async (client: Client, until: AbortSignal, meanPauseMs: number): Promise<void> => {
  let next = performance.now();
  while (!until.aborted) {
    const { act } = drawIntent(client.random);
    await act(client);
    next = Math.max(next, performance.now() - 1_000) + (client.random.int(0, 2_000) / 1_000) * meanPauseMs;
    if (next > performance.now()) await client.wait(next - performance.now());
  }
};

/** What the clients of a workspace know together. */
const knowledgeOf = async (system: System, random: Random): Promise<Knowledge> => {
  const id = uuid(random);
  const users = Array.from({ length: usersOfEach }, () => uuid(random));
  const tokens = await Promise.all(users.map(async (user) => ({ id: user, token: await system.token(id, user) })));
  return new Knowledge(id, tokens);
};

/**
 * Prepares workspaces and runs a mixed load of seeded clients against them until `work` ends; then finishes the requests
 * under way. The seed determines what each client does. How the clients interleave depends on the machine.
 * @returns the result of `work`
 * @throws Error if the workspaces cannot be prepared
 */
export const underLoad = async <Result>(
  { system, seed, rate, record, secrets = new Set(), begin }: LoadOptions,
  work: () => Promise<Result>,
): Promise<Result> => {
  const random = randomOf(seed).fork('clients');
  const over = new AbortController();
  const known = await Promise.all(
    Array.from({ length: workspaces }, (_, at) => knowledgeOf(system, random.fork(`workspace-${at}`))),
  );
  const clientOf = (number: number) => {
    const knowledge = known[number % workspaces] as Knowledge;
    const own = random.fork(`client-${number}`);
    return new Client({ number, system, random: own, knowledge, record, until: over.signal });
  };
  for (const { id, users } of known) await begin?.(id, users[0]?.id ?? '');
  // Each has its own number, so names are unique.
  await Promise.all(known.map((_, at) => prepare(clientOf(clients * workspaces + at), system)));
  const meanPauseMs = (1_000 * clients) / rate;
  const lives = Array.from({ length: clients }, (_, number) => live(clientOf(number), over.signal, meanPauseMs));
  // Keepers share no knowledge with the other clients.
  const keeperOf = ({ id, users }: Knowledge, number: number, name: string) => {
    const knowledge = new Knowledge(id, users.slice(0, 1));
    return new Client({ number, system, random: random.fork(name), knowledge, record, until: over.signal });
  };
  const pace = { until: over.signal, meanPauseMs };
  const keepers = known.map((one, at) =>
    keepBoards(keeperOf(one, firstKeeper + at, `keeper-${at}`), { ...pace, secrets }),
  );
  const keyKeepers = known.map((one, at) =>
    keepKeys(keeperOf(one, firstKeeper + workspaces + at, `key-keeper-${at}`), pace),
  );
  lives.push(...keepers, ...keyKeepers);
  try {
    const working = work();
    // A client ends early only if it fails.
    const result = await Promise.race([working, Promise.all(lives).then(() => working)]);
    over.abort();
    await Promise.all(lives);
    return result;
  } finally {
    over.abort();
  }
};
