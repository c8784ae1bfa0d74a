import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Card, createClient } from '@cardinal/client/source';
import { atEndOfFile, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type Access, importHere, startImport } from '../run-cli.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** Where an import breaks off: at which request, and whether that one is still carried out. */
interface Break {
  at: number;
  isCarriedOut: boolean;
}

/** The API, from which nothing comes any more at a break: every answer is 401, which ends a run at once as `kill` does. */
const startDoor = async () => {
  let left: Break | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    if (left) left.at -= 1;
    const isBroken = left !== undefined && left.at <= 0;
    const isLost = isBroken && !(left?.at === 0 && left.isCarriedOut);
    const { host: _, connection: __, ...headers } = request.headers;
    const sent = { method: request.method ?? 'GET', headers: headers as Record<string, string> };
    const reply = isLost
      ? undefined
      : await fetch(`${stack.origin}${request.url}`, {
          ...sent,
          ...(body.length > 0 && { body: new Uint8Array(body) }),
        });
    const text = await reply?.text();
    if (!reply || isBroken) {
      const error = { code: 'unauthenticated', message: 'The connection is gone', request_id: 'r' };
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    const {
      'content-encoding': ___,
      'content-length': ____,
      'transfer-encoding': _____,
      ...kept
    } = Object.fromEntries(reply.headers);
    response.writeHead(reply.status, kept).end(text);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAt: (point: Break | undefined) => {
      left = point && { ...point };
    },
  };
};

const rows = ['One,BEE-1', 'Two,', 'Three,BEE-3', 'Four,', 'Five,BEE-5', 'Six,'];
const titles = rows.map((row) => row.split(',')[0] ?? '');

/** The counts that a run ends with. */
const countsIn = (stdout: string) => {
  const [, made, there, refused] = /(\d+) cards? made, (\d+) already there, (\d+) refused/.exec(stdout) ?? [];
  return { made: Number(made), there: Number(there), refused: Number(refused) };
};

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('apply' as const), leavesOut: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('break' as const),
      at: fc.integer({ min: 1, max: 30 }),
      isCarriedOut: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('edit' as const, 'delete' as const), card: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('undo' as const), at: fc.option(fc.integer({ min: 1, max: 12 })) }),
  },
);

it('says of every run what is there, after whatever was done, and wherever runs broke off', async () => {
  const door = await startDoor();
  let refusals = 0;
  const sequence = async (
    prefix: string | null,
    steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  ) => {
    const token = await stack.token({ scope: 'kanban:admin' });
    const client = createClient({ baseUrl: stack.origin, token });
    const file = join(scratchFolder('sequence'), 'bee.csv');
    await writeFile(file, `title,key\n${rows.join('\n')}\n`);
    const args = [file, '--title', 'title', '--map', 'key=key', ...(prefix === null ? [] : ['--prefix', prefix])];
    const run = async (point: Break | undefined, ...more: string[]) => {
      door.breakAt(point);
      const ended = await importHere([...args, ...more], { url: door.url, token });
      door.breakAt(undefined);
      return ended;
    };
    const cards = async (): Promise<Card[]> =>
      (await Promise.all([false, true].map((archived) => client.cards.search({ archived }).all()))).flat();
    const apply = async (...more: string[]) => {
      const { code, stdout, stderr } = await run(undefined, '--apply', ...more);
      const { made, there, refused } = countsIn(stdout);
      const found = (await cards()).map(({ title }) => title);
      // A row is one card at most, each that is said to be there is, and each that is not is named.
      expect(new Set(found).size).toBe(found.length);
      expect({ there: found.length, stderr }).toEqual({ there: made + there, stderr: '' });
      const isWritten = !stdout.includes('nothing was written');
      if (isWritten) expect(made + there + refused).toBe(rows.length);
      expect(code).toBe(refused > 0 ? 1 : 0);
      const missing = titles.filter((title) => !found.includes(title));
      for (const title of isWritten ? missing : []) {
        expect(stdout).toContain(`bee.csv:${titles.indexOf(title) + 2}`);
        refusals += 1;
      }
    };
    for (const one of steps) {
      if (one.what === 'apply') await apply(...(one.leavesOut ? ['--leave-out-refused'] : []));
      else if (one.what === 'break') await run(one, '--apply', '--leave-out-refused');
      else if (one.what === 'undo') {
        const before = (await cards()).length;
        const point = one.at === null ? undefined : { at: one.at, isCarriedOut: true };
        const { code, stdout } = await run(point, '--undo', '--yes').catch(() => ({ code: 1, stdout: '' }));
        const said = /(\d+) cards? deleted/.exec(stdout)?.[1];
        if (code === 0) expect(before - (await cards()).length).toBe(Number(said));
      } else {
        const all = await cards();
        const card = all[one.card % all.length];
        if (card && one.what === 'edit') await client.cards.update(card, { description: 'Edited' });
        if (card && one.what === 'delete') await client.cards.delete(card);
      }
    }
    await apply();
    await apply('--leave-out-refused');
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(null, 'BEE', 'ANT'), fc.array(step, { minLength: 1, maxLength: 5 }), sequence),
    { numRuns: 22, seed: 36, endOnFailure: true },
  );
  expect(refusals).toBeGreaterThan(0);
}, 600_000);

it('updates every card as a whole, at whichever request a run broke off, also when the file changes meanwhile', async () => {
  const door = await startDoor();
  const token = await stack.token({ scope: 'kanban:admin' });
  const client = createClient({ baseUrl: stack.origin, token });
  const file = join(scratchFolder('updates'), 'bee.csv');
  const maps = ['key', 'status', 'labels'].flatMap((name) => ['--map', `${name}=${name}`]);
  /** Imports a table whose cards have the mark in title, column and label. */
  const run = async (mark: string, point: Break | undefined) => {
    const content = [1, 2].map((n) => `Card ${n} ${mark},BEE-${n},Column ${mark},Label ${mark}`);
    await writeFile(file, `title,key,status,labels\n${content.join('\n')}\n`);
    door.breakAt(point);
    const ended = await importHere([file, '--title', 'title', ...maps, '--apply', '--concurrency', '1'], {
      url: door.url,
      token,
    });
    door.breakAt(undefined);
    return ended;
  };
  const marks = async () => {
    const [board] = await client.boards.list().all();
    const columns = await client.columns.list(board?.id ?? '').all();
    const names = new Map([...columns, ...(await client.labels.list().all())].map(({ id, name }) => [id, name]));
    const cards = await client.cards.search({}).all();
    return cards.map(({ title, column_id, label_ids }) =>
      [title, names.get(column_id), ...label_ids.map((id) => names.get(id))].map((text) => text?.split(' ').at(-1)),
    );
  };
  for (const mark of ['a', 'b', 'c', 'start']) await run(mark, undefined);
  let halves = 0;
  let there = 'start';
  for (let at = 10; at <= 30; at += 1) {
    const [mark = '', next = ''] = ['a', 'b', 'c'].filter((one) => one !== there);
    await run(mark, { at, isCarriedOut: at % 2 === 0 });
    if ((await marks()).some((of) => new Set(of).size > 1)) halves += 1;
    const wanted = at % 4 < 2 ? mark : next;
    there = wanted;
    const { code, stdout } = await run(wanted, undefined);
    expect({ code, stdout, marks: await marks() }).toEqual({
      code: 0,
      stdout: expect.stringContaining(', 0 left alone\n'),
      marks: Array(2).fill([wanted, wanted, wanted]),
    });
  }
  // Some runs broke off between the requests of one card.
  expect(halves).toBeGreaterThan(2);
}, 300_000);

it('of two files under one prefix at once says of each row where it went', async () => {
  const access: Access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const folder = scratchFolder('two');
  const files = ['left', 'right'].map((name) => ({
    name,
    rows: Array.from({ length: 40 }, (_, n) => `${name} ${n},${n % 2 === 0 ? `BEE-${n + 1}` : ''}`),
  }));
  const ends = await Promise.all(
    files.map(async ({ name, rows: own }) => {
      const path = join(folder, `${name}.csv`);
      await writeFile(path, `title,key\n${own.join('\n')}\n`);
      const args = [path, '--title', 'title', '--map', 'key=key', '--prefix', 'BEE', '--board', 'Both', '--apply'];
      return { ...(await startImport(args, access).ended), name };
    }),
  );
  const found = (await client.cards.search({}).all()).map(({ title }) => title);
  for (const { code, stdout, stderr, name } of ends) {
    const { made, there, refused } = countsIn(stdout);
    const own = found.filter((title) => title.startsWith(`${name} `));
    expect({ stderr, there: own.length }).toEqual({ stderr: '', there: made + there });
    expect(code).toBe(refused > 0 ? 1 : 0);
    for (const n of Array.from({ length: 40 }, (_, at) => at)) {
      if (!own.includes(`${name} ${n}`) && !stdout.includes('nothing was written'))
        expect(stdout).toContain(`${name}.csv:${n + 2}`);
    }
  }
  expect(new Set(found).size).toBe(found.length);
  expect(found.length).toBeGreaterThanOrEqual(40);
});
