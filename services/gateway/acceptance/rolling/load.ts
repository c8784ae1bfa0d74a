import { setTimeout } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@cardinal/contracts';
import { hasService, readLog } from '@cardinal/servers';
import { eventually, rounds, type World, whitePng } from '@cardinal/testkit';
import { expect, onTestFinished } from 'vitest';
import { uploaded } from '../files/uploading.ts';
import { type Answer, type Body, Client, together, workspaceWithBoard } from '../workspace.ts';

/** The gateways that requests go to, as a load balancer keeps them. */
const balance = (world: World) => {
  const left = new Set<number>();
  const underWay = new Map<number, number>();
  const count = (at: number, more: number) => underWay.set(at, (underWay.get(at) ?? 0) + more);
  let turn = 0;
  return {
    /** Sends a request through one of those that are not left out. */
    send: async (request: (baseUrl: string) => Promise<Answer>): Promise<Answer> => {
      do turn = (turn + 1) % world.baseUrls.length;
      while (left.has(turn));
      const at = turn;
      count(at, 1);
      try {
        return await request(world.baseUrls[at] as string);
      } finally {
        count(at, -1);
      }
    },
    /** The n-th gateway gets no requests from now on; resolves when it has answered those that it had. */
    leaveOut: async (at: number) => {
      left.add(at);
      await eventually(() => expect(underWay.get(at) ?? 0).toBe(0));
    },
    /** The n-th gateway gets requests again. */
    takeIn: (at: number) => left.delete(at),
  };
};

/**
 * The pause of a client, ms. In the usual run most of the machine is left to processes that start; a request that no process
 * takes is met all the same, since each is away for longer.
 */
const betweenRequestsMs = rounds(15, 250);

/** Clients that do what users do all the while; every answer that is not the one a user expects is kept. */
export const startLoad = async (world: World) => {
  const balanced = balance(world);
  const { client, board, column } = await workspaceWithBoard(world);
  const streams = [await client.createWorkstream('PAY'), await client.createWorkstream('OPS')];
  const image = await uploaded(client, 'a.png', whitePng(8, 8));
  const named = new Map<string, string>();
  const failures: string[] = [];
  let [answered, working] = [0, true];
  // Also where the test fails: against a world that is gone, its clients would fill the memory with failures.
  onTestFinished(() => {
    working = false;
  });

  /** The user of all of them, at one gateway. */
  const at = (baseUrl: string) => new Client({ ...world, baseUrl }, client.workspaceId, client.userId, client.token);
  const ask = async (status: number, method: string, path: string, options = {}): Promise<Body> => {
    await setTimeout(betweenRequestsMs);
    const answer = await balanced
      .send((baseUrl) => at(baseUrl).send(method, path, options))
      .catch((error: Error) => ({ status: 0, body: `${error.message} ${error.cause}` }));
    answered += 1;
    if (answer.status !== status) {
      failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}\n${logged(answer.body)}`);
      throw new Error('the round ends here');
    }
    return answer.body?.data;
  };
  /** What the services logged of the request that an error answers. */
  const logged = (body: Body): string =>
    serviceNames
      .flatMap(world.instancesOf)
      .flatMap((name) => readLog(world.logOf(name), 0).split('\n'))
      .filter((line) => line.includes(body?.error?.request_id ?? '"level":"error"'))
      .join('\n');
  const told = (card: Body): Body => {
    if ((named.get(card.identifier) ?? card.id) !== card.id) failures.push(`${card.identifier} names two cards`);
    named.set(card.identifier, card.id);
    return card;
  };

  const round = async (n: number) => {
    const body = { title: `card of ${n}`, workstream_id: streams[n % 2].id };
    const made = told(await ask(201, 'POST', `/columns/${column.id}/cards`, { body }));
    const edited = await ask(200, 'PATCH', `/cards/${made.id}`, { body: { title: 'edited' }, ifMatch: made.version });
    const to = { workstream_id: streams[(n + 1) % 2].id };
    const path = `/cards/${made.id}/workstream`;
    const moved = told(await ask(200, 'POST', path, { body: to, ifMatch: edited.version }));
    const found = await ask(200, 'GET', `/cards/by-identifier/${made.identifier}`);
    expect([found.card.identifier, found.is_alias]).toEqual([moved.identifier, true]);
    const other = told(await ask(201, 'POST', `/columns/${column.id}/cards`, { body }));
    await ask(200, 'PUT', `/cards/${made.id}/dependencies/${other.id}`);
    // A busy machine passes the quarter of a second that a writer waits for the count.
    await eventually(async () => {
      const { reference } = await ask(200, 'GET', `/cards/by-identifier/${moved.identifier}`);
      expect(reference.dependency_count).toBe(1);
    });
    await ask(200, 'PUT', `/cards/${made.id}/cover/${image.id}`);
    await ask(200, 'GET', `/cards/${made.id}`);
    await ask(200, 'GET', `/boards/${board.id}/cards?limit=10`);
    await ask(200, 'GET', `/cards/${made.id}/identifiers`);
  };
  const done = together(3, async (n) => {
    while (working)
      await round(n).catch(
        (error: Error) => void (error.message.startsWith('the round') || failures.push(error.message)),
      );
  });
  return {
    client,
    at,
    column,
    balanced,
    named,
    failures,
    /** Resolves when so many more requests were answered. */
    more: (count: number) => {
      const goal = answered + count;
      return eventually(() => expect(answered).toBeGreaterThan(goal));
    },
    stop: async () => {
      working = false;
      await done;
    },
  };
};

type Load = Awaited<ReturnType<typeof startLoad>>;
type Change = NonNullable<Parameters<World['restart']>[1]>;

const instanceOf = (service: ServiceName, half: 0 | 1) => (half === 0 ? service : (`${service}-2` as const));

/**
 * Starts the first or the second instance of every service, each with its change, beside the others, and lets both have
 * requests. A service that the build of its change lacks goes on as it is.
 */
export const bringIn = async (world: World, load: Load, half: 0 | 1, changeOf: (service: ServiceName) => Change) => {
  const bring = (service: ServiceName) => world.restart(instanceOf(service, half), changeOf(service));
  const others = serviceNames.filter((name) => name !== 'gateway' && hasService(name, changeOf(name)?.build));
  await Promise.all([...others, 'gateway' as const].map(bring));
  load.balanced.takeIn(half);
  await load.more(40);
  expect(load.failures).toEqual([]);
};

/** Ends the first or the second instances, where the others can do without, and lets these have the requests. */
export const takeOut = async (
  world: World,
  load: Load,
  half: 0 | 1,
  services: readonly ServiceName[] = serviceNames,
) => {
  const end = (service: ServiceName) => world.kill(instanceOf(service, half), 'SIGTERM');
  await load.balanced.leaveOut(half);
  await Promise.all(services.map(end));
  await load.more(20);
  expect(load.failures).toEqual([]);
};

/** Numbers have no gap, and each identifier that was answered leads to its card. */
export const expectDense = async ({ client, named }: Load) => {
  for (const prefix of ['PAY', 'OPS']) {
    const numbers = [...named.keys()].filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(4)));
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, n) => n + 1));
  }
  for (const [identifier, id] of named) {
    const found = await client.data(client.get(`/cards/by-identifier/${identifier}`));
    expect([identifier, found.card.id]).toEqual([identifier, id]);
  }
};
