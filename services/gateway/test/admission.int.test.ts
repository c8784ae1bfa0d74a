import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { getCard, listBoards, listCards } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { aBoard, aCard } from './resources.ts';

let gateway: Gateway;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

const mebibyte = 1024 * 1024;
/** Nearly the most that the bus carries, a mebibyte. Of `several` unread ones the kernel buffers the first, not all. */
const largest = 1_040_000;
const several = 9;
const page = (bytes: number) => ({ items: [aCard({ description: 'x'.repeat(bytes) })], next_cursor: null });
const path = `/boards/${v7()}/cards`;

/** Sends a request on a connection of its own and never reads the answer. */
const askAndIgnore = async (token: string, times = 1) => {
  const socket = connect({ port: gateway.port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.pause();
  const request = `GET /api/kanban/v1${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`;
  socket.write(request.repeat(times));
  return socket;
};

/** As if the client of a socket read nothing, and the kernel buffered nothing for it. */
const takeNothing = (socket: Socket) => Object.assign(socket, { _write() {}, _writev() {} });

/** Holds pages until they are released, and counts how many are requested at once. */
const heldPages = (bytes: number) => {
  const waiting: (() => void)[] = [];
  const seen = { now: 0, most: 0, callers: [] as string[] };
  const held = new Map<string | undefined, Promise<void>>();
  const hold = async (user_id: string) => {
    seen.callers.push(user_id);
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await new Promise<void>((resolve) => waiting.push(resolve));
    seen.now -= 1;
  };
  gateway.serve(listCards, async ({ user_id }) => {
    // On a busy machine the bus brings a request twice.
    const id = currentContext()?.requestId;
    const one = held.get(id) ?? hold(user_id);
    held.set(id, one);
    await one;
    return page(bytes);
  });
  return {
    seen,
    waiting,
    letGo: (count = waiting.length) => {
      for (const release of waiting.splice(0, count)) release();
    },
  };
};

describe('bytes under way of one user', () => {
  it('are requested one after the other, all are answered, and other users do not wait', async () => {
    gateway = await startGateway({ BYTES_UNDER_WAY: String(16 * mebibyte) });
    const { seen, waiting, letGo } = heldPages(largest);
    const answers = Array.from({ length: 12 }, () => gateway.call({ path }));
    // Four pages of 64 KiB each are expected at first.
    await expect.poll(() => waiting.length).toBe(4);
    gateway.serve(getCard, () => aCard());
    expect((await gateway.call({ path: `/cards/${v7()}`, token: await gateway.tokenFor({ user: v7() }) })).status).toBe(
      200,
    );
    const other = gateway.call({ path, token: await gateway.tokenFor({ user: v7() }) });
    await expect.poll(() => waiting.length).toBe(5);
    letGo();
    expect((await other).status).toBe(200);
    // The gateway knows by now that each has a mebibyte: one at a time.
    seen.most = 0;
    while (seen.callers.length < 13) {
      await expect.poll(() => waiting.length).toBe(1);
      letGo();
    }
    letGo();
    await expect.poll(() => waiting.length).toBe(0);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(seen.most).toBe(1);
  });

  it('count until the socket has taken them, and a client that reads nothing is closed', async () => {
    gateway = await startGateway({ BYTES_UNDER_WAY: '64', ANSWER_IDLE_MS: '2000' });
    let asked = 0;
    gateway.serve(listCards, () => {
      asked += 1;
      return page(10);
    });
    gateway.app.server.once('connection', takeNothing);
    const silent = await askAndIgnore(await gateway.tokenFor({}));
    await expect.poll(() => asked).toBe(1);
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    // Waits until the silent one is closed.
    const answer = await gateway.call({ path });
    expect(answer.status).toBe(200);
    await closed;
    expect(silent.bytesRead).toBe(0);
  });

  it('a client that reads its answer too slowly is closed as well, and its further requests are not carried out', async () => {
    gateway = await startGateway({ ANSWER_TIMEOUT_MS: '3000' });
    let asked = 0;
    gateway.serve(listCards, () => {
      asked += 1;
      return page(largest);
    });
    await askAndIgnore(await gateway.tokenFor({}), several);
    const connections = () => promisify(gateway.app.server.getConnections.bind(gateway.app.server))();
    await expect.poll(connections).toBe(1);
    await expect.poll(connections).toBe(0);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(several);
  });

  it('are free again when clients vanish', async () => {
    gateway = await startGateway({ BYTES_UNDER_WAY: String(16 * mebibyte) });
    const { waiting, letGo } = heldPages(10);
    const token = await gateway.tokenFor({});
    const gone = await Promise.all(Array.from({ length: 6 }, () => askAndIgnore(token)));
    await expect.poll(() => waiting.length).toBe(4);
    for (const socket of gone) socket.destroy();
    // The request is under way until its owner answers, though its client has left.
    letGo();
    const answers = Array.from({ length: 4 }, () => gateway.call({ path, token }));
    await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(4);
    letGo();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('are 429 where too many wait, and where the deadline passes', async () => {
    const bounds = { BYTES_UNDER_WAY: '64', WAITING: '32' };
    gateway = await startGateway({ ...bounds, REQUEST_TIMEOUT_MS: '3000', ANSWER_IDLE_MS: '60000' });
    let asked = 0;
    gateway.serve(listCards, () => {
      asked += 1;
      return page(10);
    });
    gateway.app.server.once('connection', takeNothing);
    await askAndIgnore(await gateway.tokenFor({}));
    await expect.poll(() => asked).toBe(1);
    const refusal = { status: 429, json: { error: { code: 'rate_limited' } }, headers: { 'retry-after': '1' } };
    const answers = await Promise.all(Array.from({ length: 5 }, () => gateway.call({ path })));
    for (const answer of answers) expect(answer).toMatchObject(refusal);
    expect(asked).toBe(1);
  });
});

describe('bytes under way of a workspace', () => {
  it('are shared by its users, and others do not wait for them', async () => {
    gateway = await startGateway({ BYTES_UNDER_WAY: String(7 * mebibyte) });
    const { seen, waiting, letGo } = heldPages(10);
    const ask = async (workspace = gateway.caller.workspace_id) =>
      gateway.call({ path, token: await gateway.tokenFor({ user: v7(), workspace }) });
    const colleagues = Array.from({ length: 4 }, () => ask());
    await expect.poll(() => waiting.length).toBe(2);
    const other = ask(v7());
    await expect.poll(() => waiting.length).toBe(3);
    await expect
      .poll(() => {
        letGo();
        return seen.callers.length - seen.now;
      })
      .toBe(5);
    const answers = await Promise.all([...colleagues, other]);
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(seen.most).toBe(3);
  });
});

describe('bytes under way in all', () => {
  it('are shared by everybody, and 503 where too many wait', async () => {
    gateway = await startGateway({ BYTES_UNDER_WAY: String(128 * 1024), WAITING: '4' });
    const { seen, waiting, letGo } = heldPages(10);
    const ask = async () => gateway.call({ path, token: await gateway.tokenFor({ user: v7(), workspace: v7() }) });
    const held = [ask(), ask()];
    await expect.poll(() => waiting.length).toBe(2);
    let refused = 0;
    const others = Array.from({ length: 7 }, async () => {
      const answer = await ask();
      if (answer.status === 503) refused += 1;
      return answer;
    });
    await expect.poll(() => refused).toBe(3);
    await expect
      .poll(() => {
        letGo();
        return seen.callers.length - seen.now;
      })
      .toBe(6);
    const answers = await Promise.all([...held, ...others]);
    const refusal = { status: 503, json: { error: { code: 'unavailable' } }, headers: { 'retry-after': '1' } };
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(refusal);
    expect(new Set(seen.callers).size).toBe(6);
  });
});

describe('ordinary work of one user', () => {
  it('never waits: 128 small reads and 32 lists of fifty cards at once', async () => {
    gateway = await startGateway();
    gateway.serve(getCard, () => aCard());
    gateway.serve(listBoards, () => ({ items: [aBoard()], next_cursor: null }));
    gateway.serve(listCards, () => ({ items: Array.from({ length: 50 }, () => aCard()), next_cursor: null }));
    const reads = Array.from({ length: 128 }, () => gateway.call({ path: `/cards/${v7()}` }));
    const lists = Array.from({ length: 32 }, () => gateway.call({ path }));
    const statuses = (await Promise.all([...reads, ...lists])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
