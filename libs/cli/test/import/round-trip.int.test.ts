import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CardinalClient, createClient } from '@cardinal/client/source';
import { eventually, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import type { Line } from '../../src/import/cardinal/format.ts';
import { exportHere, importHere, startImport } from '../run-cli.ts';
import { makeEverything } from './workspace-of-everything.ts';

let stack: SharedStack;
const user = crypto.randomUUID();
beforeAll(async () => {
  stack = await sharedStack();
});

/** A workspace of its own for the same user. */
const workspace = async () => {
  const id = crypto.randomUUID();
  const access = { url: stack.origin, token: await stack.token({ workspace: id, user, scope: 'kanban:admin' }) };
  return { id, access, client: createClient({ baseUrl: access.url, token: access.token }) };
};

const exported = async (access: { url: string; token: string }) => {
  const folder = join(scratchFolder('export'), 'workspace');
  const { code, stdout, stderr } = await exportHere([folder], access);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const content = await readFile(join(folder, 'export.jsonl'), 'utf8');
  return {
    folder,
    stdout,
    lines: content
      .trimEnd()
      .split('\n')
      .map((text): Line => JSON.parse(text)),
  };
};

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What differs although it is the same: ids become the number of their first mention, versions and new times nothing. */
const comparable = (lines: Line[]) => {
  const ids = new Map<string, string>();
  const times = ['version', 'updated_at', 'exported_at', 'assigned_at', 'superseded_at', 'assigned_by', 'adopted'];
  return lines.map((line) => {
    const renewed = line.type !== 'card';
    const text = JSON.stringify(line, (key, value) => {
      if ([...times, 'unclean_file'].includes(key) || (renewed && ['created_at', 'created_by'].includes(key)))
        return undefined;
      if (key === 'depends_on') return value.map(({ card_id }: { card_id: string }) => card_id);
      if (key === 'deleted_at' || (renewed && ['completed_at', 'archived_at'].includes(key))) return value !== null;
      return value;
    });
    return JSON.parse(
      text.replace(uuids, (id) => {
        if (!ids.has(id)) ids.set(id, `id ${ids.size}`);
        return ids.get(id) ?? '';
      }),
    );
  });
};

const cardsOf = (lines: Line[]) => lines.filter((line) => line.type === 'card');

const resolve = async (client: CardinalClient, identifiers: string[]) => {
  const found = await client.identifiers.resolve({ identifiers });
  return found.map(({ requested, card, current_identifier, is_alias }) => ({
    requested,
    title: card?.title,
    current_identifier,
    is_alias,
  }));
};

it('gives every card its identifiers, place, content and dependencies again, and exports the same', async () => {
  const [from, to] = [await workspace(), await workspace()];
  await makeEverything(from.client);
  const first = await exported(from.access);
  expect(first.stdout).toContain('left out, files that are not clean: 1\n');
  const other = await exported({ ...from.access, token: await stack.token({ workspace: from.id }) });
  expect(other.stdout).toContain('identifiers whose cards are deleted, or on boards that you do not see: 5\n');
  expect(other.stdout).toContain('left out, dependencies on cards that you do not see: 1\n');
  const args = ['--from', 'cardinal', first.folder];
  const planned = await importHere(args, to.access);
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(planned.stdout).toMatch(/^(\d+) cards on [\s\S]*^\1 cards keep their identifiers and dates$/m);
  const applied = await importHere([...args, '--apply'], to.access);
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  const second = await exported(to.access);

  expect(comparable(second.lines)).toEqual(comparable(first.lines));

  const identifiers = first.lines.flatMap((line) => {
    if (line.type === 'identifier') return [line.identifier];
    return line.type === 'card' ? line.identifiers.map(({ identifier }) => identifier) : [];
  });
  expect(identifiers).toContain('OLD-5');
  expect(await resolve(to.client, identifiers)).toEqual(await resolve(from.client, identifiers));
  // New numbers follow the old ones.
  for (const prefix of ['WEB', 'PAY', 'MAIN']) {
    const numbers = [from, to].map(async ({ client }, n) => {
      const columns = [first, second][n]?.lines.filter((line) => line.type === 'column');
      const workstreams = await client.workstreams.list().all();
      const workstream_id = workstreams.find((one) => one.prefix === prefix)?.id;
      return (await client.cards.create(columns?.[0]?.id ?? '', { title: 'Next', workstream_id })).identifier;
    });
    const [a, b] = await Promise.all(numbers);
    expect(b).toBe(a);
  }
  expect(cardsOf(second.lines)).toHaveLength(cardsOf(first.lines).length);
  const again = await importHere([...args, '--apply', '--run', scratchFolder('run')], to.access);
  expect(again.stderr).toContain('the workspace has workstreams, boards, labels, files, identifiers of MAIN');
});

it('goes on after it was killed, and makes nothing twice', async () => {
  const [from, to] = [await workspace(), await workspace()];
  const board = await from.client.boards.create({ name: 'Many' });
  const column = await from.client.columns.create(board.id, { name: 'All' });
  const pay = await from.client.workstreams.create({ name: 'Pay', prefix: 'PAY' });
  for (let n = 0; n < 24; n += 1) {
    const card = await from.client.cards.create(column.id, { title: `Card ${n}` });
    if (n % 3 === 0) await from.client.cards.transfer(card, { workstream_id: pay.id });
    if (n % 5 === 0) await from.client.comments.create(card.id, { body: `Comment ${n}` });
  }
  const first = await exported(from.access);
  const args = ['--from', 'cardinal', first.folder, '--apply'];
  const killed = startImport(args, to.access);
  await eventually(async () => {
    expect((await to.client.cards.search({}).all({ limit: 1 })).length).toBe(1);
  });
  killed.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  expect(await importHere(args, to.access)).toMatchObject({ code: 0, stderr: '' });
  const second = await exported(to.access);
  expect(comparable(second.lines)).toEqual(comparable(first.lines));
});
