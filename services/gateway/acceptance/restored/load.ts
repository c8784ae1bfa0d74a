import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, rounds } from '@cardinal/testkit';
import { expect } from 'vitest';
import { type Answer, type Body, type Stack, together, workspaceWithBoard } from '../workspace.ts';

/** An answered identifier of a card, with the moments when that request began and ended. */
export interface Answered {
  identifier: string;
  card: string;
  began: number;
  at: number;
}

/** Clients at work. */
export type Load = Awaited<ReturnType<typeof startLoad>>;

/** The number of clients, and the pause of each between two requests, ms. It leaves most of the machine to processes that start. */
const [clientsCount, thinkMs] = [rounds(8, 4), rounds(80, 150)];
const maxMs = 90_000;

/** Sends a request, with the same key again where no answer came or 503, until it is answered for good. */
const answer = async (send: (key: string) => Promise<Answer>): Promise<Answer & { began: number }> => {
  const key = randomUUID();
  const until = performance.now() + maxMs;
  for (;;) {
    await pause(thinkMs);
    const began = performance.now();
    const answered = await send(key).catch(() => undefined);
    if (answered && answered.status < 500) return { ...answered, began };
    if (began > until) throw new Error(`no answer within ${maxMs / 1_000} s: ${JSON.stringify(answered?.body)}`);
  }
};

/**
 * Starts clients that create cards in one workstream and transfer them to another, in a new workspace, and remember every
 * identifier that they were answered and for which card. What the databases lost meanwhile they give up, and a workstream
 * that was lost they make again, with the prefix that it had.
 */
export const startLoad = async (stack: Stack) => {
  const { client, column } = await workspaceWithBoard(stack);
  const main: Body = (await client.data(client.get('/workstreams')))[0];
  const prefixes = new Map<string, Promise<Body>>();
  const make = async (prefix: string): Promise<Body> => {
    const made = await answer((key) => client.post('/workstreams', { key, body: { name: prefix, prefix } }));
    if (made.status === 201) return made.body.data;
    const known = await answer(() => client.get('/workstreams?limit=100'));
    const found = known.body.data?.find((one: Body) => one.prefix === prefix);
    if (!found) throw new Error(`workstream ${prefix} is not to be had: ${made.status} ${JSON.stringify(made.body)}`);
    return found;
  };
  const workstream = (prefix: string) => {
    const known = prefixes.get(prefix) ?? make(prefix);
    prefixes.set(prefix, known);
    return known;
  };
  await workstream('PAY');

  const told: Answered[] = [];
  const others: string[] = [];
  let stopped = false;
  const note = ({ id, identifier }: Body, began: number) => {
    told.push({ identifier, card: id, began, at: performance.now() });
  };
  const work = async (n: number) => {
    while (!stopped) {
      const all = [...prefixes.keys()];
      const prefix = all[n % all.length] as string;
      const used = prefixes.get(prefix);
      const { id } = await workstream(prefix);
      const body = { title: `card of ${n}`, workstream_id: id };
      const made = await answer((key) => client.post(`/columns/${column.id}/cards`, { key, body }));
      if (made.status === 201) {
        note(made.body.data, made.began);
        const moved = await answer((key) => client.transfer(made.body.data, main.id, { key }));
        if (moved.status === 200) note(moved.body.data, moved.began);
        else others.push(`transfer: ${moved.status}`);
      } else {
        others.push(`create in ${prefix}: ${made.status} ${made.body.error?.code}`);
        // It was lost, unless another client made it again meanwhile.
        if (prefixes.get(prefix) === used) prefixes.delete(prefix);
        await workstream(prefix);
      }
    }
  };
  const done = together(clientsCount, work);
  // It is waited for below.
  done.catch(() => {});
  return {
    client,
    told,
    /** What else was answered: what was lost is not found any more. */
    others,
    /** Creates one card more in a workstream, which need not be one of those that the clients work in. */
    create: async (workstreamId: string) => {
      const body = { title: 'one more', workstream_id: workstreamId };
      const made = await answer((key) => client.post(`/columns/${column.id}/cards`, { key, body }));
      expect(made.status).toBe(201);
      note(made.body.data, made.began);
    },
    /** From now on some of the clients work in a workstream of that prefix, which they make. */
    begin: async (prefix: string) => void (await workstream(prefix)),
    /** Resolves when so many more identifiers were answered. */
    more: async (count: number) => {
      const goal = told.length + count;
      const isDone = eventually(() => expect(told.length).toBeGreaterThanOrEqual(goal), { timeoutMs: maxMs });
      await Promise.race([isDone, done]);
    },
    /** Rejects with what a client met; the clients end by themselves for no other reason. */
    done,
    stop: async () => {
      stopped = true;
      await done;
    },
  };
};
