import { Agent, request } from 'node:http';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { api } from './target.ts';

const clients = 8;
const pauseMs = 20;
const nanoseconds = 1e6;

/** A workspace's requests to Cardinal. */
const requester = (port: number) => {
  const send = (
    token: string,
    { method = 'GET', path, body }: { method?: string; path: string; body?: object },
    agent?: Agent,
  ) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': v7() } : {}),
      };
      const sent = request({ agent, port, host: '127.0.0.1', method, path, headers }, async (answer) => {
        const chunks = await answer.toArray().catch(reject);
        if (chunks) resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      });
      sent.once('error', reject).end(body && JSON.stringify(body));
    });
  const create = async (token: string, path: string, body: object, agent?: Agent): Promise<string> => {
    const answer = await send(token, { method: 'POST', path: api + path, body }, agent);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body).data.id;
  };
  return { send, create };
};

/** A board of cards in one column, made by many users at once so that no one's rate limit slows it down. */
export const boardOf = async (port: number, tokens: string[], cards: number, card: (at: number) => object) => {
  const { create } = requester(port);
  const [admin = ''] = tokens;
  const board = await create(admin, '/boards', { name: 'Starving' });
  const column = await create(admin, `/boards/${board}/columns`, { name: 'All' });
  let at = 0;
  let last = '';
  const make = async (_: unknown, client: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (at += 1; at <= cards; at += 1) {
      last = await create(tokens[client % tokens.length] ?? admin, `/columns/${column}/cards`, card(at), agent);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: 16 }, make));
  return { board, column, card: last };
};

/** What a victim does, in this order on each of its connections: mostly reads. */
const round = ['read', 'list', 'read', 'search', 'read', 'create', 'read', 'healthz'] as const;
export type Operation = (typeof round)[number];

export const operations = [...new Set(round)];

export interface Leg {
  requests: number;
  /** ms */
  p50: number;
  p99: number;
  failures: string;
}

/** A workspace that works on eight connections, with a pause before each request, and measures how long it waits. */
export const createVictim = async (port: number, tokens: string[]) => {
  const { send } = requester(port);
  const { board, column, card } = await boardOf(port, tokens, 200, (at) => ({ title: `Sow row ${at} of the garden` }));
  const what: Record<Operation, { method?: string; path: string; body?: object }> = {
    read: { path: `${api}/cards/${card}` },
    list: { path: `${api}/boards/${board}/cards?limit=50` },
    search: { path: `${api}/boards/${board}/cards?q=row%2017` },
    create: { method: 'POST', path: `${api}/columns/${column}/cards`, body: { title: 'Water it' } },
    healthz: { path: '/healthz' },
  };
  let turn = 0;

  const work = async (seconds: number): Promise<Record<Operation, Leg>> => {
    const times = new Map<Operation, RecordableHistogram>(operations.map((one) => [one, createHistogram()]));
    const failures = new Map<Operation, Map<number | string, number>>(operations.map((one) => [one, new Map()]));
    const until = performance.now() + seconds * 1_000;
    const loop = async (_: unknown, client: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let at = client; performance.now() < until; at += 1) {
        await pause(pauseMs);
        const operation = round[at % round.length] ?? 'read';
        turn += 1;
        const began = performance.now();
        const outcome = await send(tokens[turn % tokens.length] ?? '', what[operation], agent).then(
          ({ status }) => status,
          (error: { code?: string }) => error.code ?? 'error',
        );
        times.get(operation)?.record(Math.max(1, Math.round((performance.now() - began) * nanoseconds)));
        if (typeof outcome === 'number' && outcome < 300) continue;
        const counts = failures.get(operation);
        counts?.set(outcome, (counts.get(outcome) ?? 0) + 1);
      }
      agent.destroy();
    };
    await Promise.all(Array.from({ length: clients }, loop));
    const legOf = (operation: Operation): Leg => {
      const histogram = times.get(operation) as RecordableHistogram;
      return {
        requests: histogram.count,
        p50: histogram.percentile(50) / nanoseconds,
        p99: histogram.percentile(99) / nanoseconds,
        failures: [...(failures.get(operation) ?? [])].map(([outcome, count]) => `${outcome}: ${count}`).join(', '),
      };
    };
    return Object.fromEntries(operations.map((one) => [one, legOf(one)])) as Record<Operation, Leg>;
  };
  return { work };
};
