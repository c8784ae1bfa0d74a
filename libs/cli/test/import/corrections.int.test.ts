import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Card, createClient } from '@cardinal/client/source';
import { eventually, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { importHere, startImport } from '../run-cli.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** A workspace of its own, and a table that is imported into it again and again. */
const workspace = async (name = 'issues.csv') => {
  const access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const file = join(scratchFolder('corrections'), name);
  const columns = ['key', 'description=text', 'status', 'labels', 'assignees=who', 'priority', 'due_date=due'];
  const maps = columns.map((one) => (one.includes('=') ? one : `${one}=${one}`));
  const args = [file, '--title', 'title', ...maps.flatMap((map) => ['--map', map])];
  const cards = async (): Promise<Card[]> =>
    (await Promise.all([false, true].map((archived) => client.cards.search({ archived }).all()))).flat();
  const columnNames = async () => {
    const boards = await client.boards.list().all();
    const all = (await Promise.all(boards.map(({ id }) => client.columns.list(id).all()))).flat();
    return new Map(all.map(({ id, name }) => [id, name]));
  };
  return {
    access,
    args,
    client,
    cards,
    file,
    write: (rows: string[]) => writeFile(file, `title,key,text,status,labels,who,priority,due\n${rows.join('\n')}\n`),
    run: (...more: string[]) => importHere([...args, ...more], access),
    card: async (identifier: string) => (await client.cards.getByIdentifier(identifier)).card,
    /** Edits the mapping. */
    async remap(change: (mapping: { people: object; columns: { name: string; statuses: string[] }[] }) => void) {
      const path = `${file}.import/mapping.json`;
      const mapping = JSON.parse(await readFile(path, 'utf8'));
      change(mapping);
      await writeFile(path, JSON.stringify(mapping));
    },
    /** Each card with its column, in the order of numbers. */
    async placed() {
      const names = await columnNames();
      const lines = (await cards()).map((card) => `${card.identifier} ${card.title}, ${names.get(card.column_id)}`);
      return lines.sort();
    },
  };
};

const first = [
  'One,WEB-1,Text,Open,bug,Ada,High,2030-01-02',
  'Two,WEB-2,,Open,,,,',
  'Three,WEB-3,,Doing,,,,',
  'Four,WEB-4,,Doing,,,,',
];

it('updates what nobody has touched by a corrected file and mapping, and leaves what somebody touched', async () => {
  const { write, run, client, card, remap, placed } = await workspace();
  await write(first);
  expect((await run('--apply')).stdout).toContain('4 cards made');
  await client.cards.update(await card('WEB-3'), { title: 'Mine now' });
  await client.comments.create((await card('WEB-4')).id, { body: 'Mine too' });
  const ada = crypto.randomUUID();
  await remap((mapping) => {
    mapping.people = { Ada: ada };
    mapping.columns = mapping.columns.map((one) => (one.name === 'Open' ? { ...one, name: 'Backlog' } : one));
  });
  const corrected = [
    'Uno,WEB-1,Another text,Open,feature,Ada,Low,2030-01-03',
    'Two,WEB-2,,Open,,,,',
    'Drei,WEB-3,,Open,,,,',
    'Four,WEB-4,,Open,,,,',
    'Five,WEB-5,,Open,,,,',
  ];
  await write(corrected);
  const planned = await run();
  expect(planned.stdout).toContain('in the workspace: 1 card is new, 4 already there, 0 refused\n');
  expect(planned.stdout).toContain('of those already there: 2 to update, 0 unchanged, 2 left alone\n');
  const all = 'title, description, due_date, priority, column, labels, assignees';
  expect(planned.stdout).toContain(`  to update: WEB-1 "One" (${all})\n  to update: WEB-2 "Two" (column)\n`);
  expect(planned.stdout).toContain('  left alone: WEB-3 "Mine now" (title, column): somebody changed it since\n');
  expect(planned.stdout).toContain('  left alone: WEB-4 "Four" (column): somebody changed it since\n');
  expect(planned.code).toBe(0);
  const before = await card('WEB-2');

  const applied = await run('--apply');
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  expect(applied.stdout).toContain('1 card made, 4 already there, 0 refused');
  expect(applied.stdout).toContain('of those already there: 2 updated, 0 unchanged, 2 left alone\n');
  expect(await placed()).toEqual([
    'WEB-1 Uno, Backlog',
    'WEB-2 Two, Backlog',
    'WEB-3 Mine now, Doing',
    'WEB-4 Four, Doing',
    'WEB-5 Five, Backlog',
  ]);
  const [feature] = (await client.labels.list().all()).filter(({ name }) => name === 'feature');
  expect(await card('WEB-1')).toMatchObject({
    description: 'Another text',
    priority: 'nice_to_have',
    due_date: '2030-01-03T12:00:00.000Z',
    label_ids: [feature?.id],
    assignee_user_ids: [ada],
  });
  // One request for what changes, and none for what does not.
  expect((await card('WEB-2')).version).toBe(before.version + 1);

  const again = await run('--apply');
  expect(again.stdout).toContain('of those already there: 0 updated, 3 unchanged, 2 left alone\n');
  expect((await card('WEB-2')).version).toBe(before.version + 1);

  // The updated ones are the run's own still.
  const undone = await run('--undo', '--yes');
  expect(undone.stdout).toContain('3 cards to delete; 3 keys are used up for ever');
  expect(undone.stdout).toContain('3 cards deleted');
  expect((await placed()).map((line) => line.split(',')[0])).toEqual(['WEB-3 Mine now', 'WEB-4 Four']);
});

it('finds rows without a key again by their titles, and names cards whose rows are gone', async () => {
  const { write, run, remap, placed } = await workspace();
  await write(['One,,,Open,,,,', 'Same,,,Open,,,,', 'Same,,,Open,,,,', 'Old,,,Open,,,,']);
  expect((await run('--apply')).stdout).toContain('4 cards made');
  await remap((mapping) => {
    mapping.columns = mapping.columns.map((one) => ({ ...one, name: 'Backlog' }));
  });
  await write(['One,,Now with a text,Open,,,,', 'Same,,,Open,,,High,', 'Same,,,Open,,,,', 'New,,,Open,,,,']);
  const planned = await run();
  expect(planned.stdout).toContain('1 card is new, 3 already there, 0 refused\n');
  expect(planned.stdout).toContain('in no row any more, and left as they are: 1 card\n  MAIN-4 "Old"\n');
  expect((await run('--apply')).stdout).toContain('1 card made, 3 already there, 0 refused');
  expect((await run('--apply')).stdout).toContain('0 updated, 4 unchanged, 0 left alone');
  expect(await placed()).toEqual([
    'MAIN-1 One, Backlog',
    'MAIN-2 Same, Backlog',
    'MAIN-3 Same, Backlog',
    'MAIN-4 Old, Open',
    'MAIN-5 New, Backlog',
  ]);
});

it('keeps the columns and labels of a run under whatever name somebody gave them', async () => {
  const { write, run, client, placed } = await workspace();
  await write(first);
  await run('--apply');
  const [board] = await client.boards.list().all();
  const columns = await client.columns.list(board?.id ?? '').all();
  const open = columns.find(({ name }) => name === 'Open') ?? { id: '', version: 0 };
  await client.columns.update(open, { name: 'Inbox' });
  const [bug] = await client.labels.list().all();
  if (bug) await client.labels.update(bug, { name: 'Fault' });
  await client.boards.update(board ?? { id: '', version: 0 }, { name: 'Website' });
  const again = await run('--apply');
  expect(again.stdout).toContain('0 updated, 4 unchanged, 0 left alone');
  expect((await placed())[0]).toBe('WEB-1 One, Inbox');
  await write([...first, 'Five,WEB-5,,Open,bug,,,']);
  expect((await run('--apply')).stdout).toContain('1 card made');
  expect((await placed()).at(-1)).toBe('WEB-5 Five, Inbox');
  expect([(await client.boards.list().all()).length, (await client.labels.list().all()).length]).toEqual([1, 1]);
});

const many = (count: number, change: string) =>
  Array.from(
    { length: count },
    (_, n) => `Card ${n + 1}${change},WEB-${n + 1},,${change ? 'Done' : 'Open'},${change.trim()},,,`,
  );

it('goes on after it was killed amid an update, and leaves no card half updated', async () => {
  const { access, args, write, run, cards } = await workspace();
  await write(many(150, ''));
  await run('--apply');
  await write(many(150, ' anew'));
  const command = startImport([...args, '--apply'], access);
  await eventually(async () => {
    const updated = (await cards()).filter(({ title }) => title.endsWith('anew'));
    expect(updated.length).toBeGreaterThan(5);
  });
  command.kill('SIGKILL');
  await command.ended;
  const midway = (await cards()).filter(({ title, label_ids }) => title.endsWith('anew') !== label_ids.length > 0);
  const { code, stdout } = await run('--apply');
  expect({ code, midway: midway.length }).toEqual({ code: 0, midway: expect.any(Number) });
  expect(stdout).toContain(', 0 left alone\n');
  const after = await cards();
  expect(after.filter(({ title }) => title.endsWith('anew'))).toHaveLength(150);
  expect(after.filter(({ label_ids }) => label_ids.length === 1)).toHaveLength(150);
  expect(new Set(after.map(({ column_id }) => column_id)).size).toBe(1);
  expect((await run('--apply')).stdout).toContain('0 updated, 150 unchanged, 0 left alone');
  // Also what the killed run had updated is deleted.
  expect((await run('--undo', '--yes')).stdout).toContain('150 cards deleted');
});

it('is done once by two that run at once, beside somebody who edits', async () => {
  const { access, args, write, run, cards, client, card } = await workspace();
  await write(many(60, ''));
  await run('--apply');
  await write(many(60, ' anew'));
  const both = [1, 2].map(() => startImport([...args, '--apply'], access));
  await eventually(async () => expect((await cards()).some(({ title }) => title.endsWith('anew'))).toBe(true));
  const { id } = await card('WEB-60');
  const mine = await client.cards.get(id);
  await client.cards.update(mine, { priority: 'urgent' }).catch(() => {});
  const ends = await Promise.all(both.map(({ ended }) => ended));
  expect(ends.map(({ code, stderr }) => [code, stderr.includes('error')])).toEqual(Array(2).fill([0, false]));
  const after = (await cards()).filter((one) => one.id !== id);
  expect(after.filter(({ title, label_ids }) => title.endsWith('anew') && label_ids.length === 1)).toHaveLength(59);
  expect(new Set(after.map(({ version }) => version)).size).toBe(1);
  const touched = await client.cards.get(id);
  // It was updated as a whole before or after the edit, or not at all.
  expect(touched.title.endsWith('anew')).toBe(touched.label_ids.length === 1);
  expect((await run('--apply')).stdout).toMatch(/0 updated, (59|60) unchanged, [01] left alone/);
});

it('says what an undo uses up for ever, and deletes nothing until that is accepted', async () => {
  const { write, run, cards, file, access } = await workspace();
  await writeFile(file, 'title,key,was\nOne,WEB-1,OLD-5\nTwo,WEB-2,\n');
  const args = [file, '--title', 'title', '--map', 'key=key', '--map', 'former=was'];
  await importHere([...args, '--apply'], access);
  const asked = await importHere([...args, '--undo'], access);
  expect(asked.stdout).toContain('2 cards to delete; 3 keys are used up for ever and never given again');
  for (const key of ['WEB-1', 'WEB-2', 'OLD-5']) expect(asked.stdout).toContain(key);
  expect(asked.stdout).toContain('nothing was deleted; to delete them, pass --undo --yes\n');
  expect([asked.code, (await cards()).length]).toEqual([1, 2]);
  expect((await importHere([...args, '--undo', '--yes'], access)).stdout).toContain('2 cards deleted');
  expect(await cards()).toEqual([]);
  await write(first);
  expect(await run('--apply', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes needs --undo'),
  });
});

it('links rows of any table by their keys, and names each link that misses with its issue', async () => {
  const { client, access, file } = await workspace();
  await writeFile(file, 'title,key\nThere,WEB-7\n');
  await importHere([file, '--title', 'title', '--map', 'key=key', '--apply'], access);
  const rows = ['One,1,2; 3|#7,', 'Two,2,,99', 'Three,3,WEB-98,', 'Former,4,OLD-5,', 'Was,5,,'];
  await writeFile(join(file, '../links.csv'), `title,key,after,before\n${rows.join('\n')}\n`);
  await writeFile(join(file, '../former.csv'), 'key,former\n5,OLD-5\n');
  const maps = ['key=key', 'blocked_by=after', 'blocks=before'].flatMap((map) => ['--map', map]);
  const former = ['--former-keys', join(file, '../former.csv')];
  const args = [join(file, '../links.csv'), '--title', 'title', '--prefix', 'WEB', ...maps, ...former];
  const planned = await importHere(args, access);
  expect(planned.stdout).toContain(
    '2 links name issues that are not there:\n  WEB-2 names WEB-99\n  WEB-3 names WEB-98\n',
  );
  expect((await importHere([...args, '--apply'], access)).stdout).toContain('4 dependencies\n');
  const after = async (identifier: string) => {
    const { card } = await client.cards.getByIdentifier(identifier);
    return (await client.cards.listDependencies(card.id).all()).map((one) => one.card.identifier).sort();
  };
  expect([await after('WEB-1'), await after('WEB-4')]).toEqual([['WEB-2', 'WEB-3', 'WEB-7'], ['WEB-5']]);
});

it('takes e-mail addresses in the place of ids of people, and refuses one that nobody has before it writes', async () => {
  const { write, run, client, card, cards, remap } = await workspace();
  await write(first);
  await run();
  await remap((mapping) => {
    mapping.people = { Ada: 'ada@example.com' };
  });
  for (const step of [[], ['--apply']])
    expect(await run(...step)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('mapping.json, people, "Ada": nobody is known by "ada@example.com"'),
    });
  expect(await cards()).toEqual([]);
  const ada = await client.people.add({ name: 'Ada Lovelace', email: 'Ada@Example.com' });
  expect(await run('--apply')).toMatchObject({ code: 0, stderr: '' });
  expect((await card('WEB-1')).assignee_user_ids).toEqual([ada.id]);
});

it('names the cards whose later rows have comments that it does not make', async () => {
  const { write, args, access, client, card } = await workspace();
  const run = (...more: string[]) => importHere([...args, '--same-key', 'comment', ...more], access);
  await write(first);
  expect((await run('--apply')).stdout).not.toContain('not made here');
  await write([...first, 'More,WEB-1,Later,Open,,,,']);
  for (const step of [[], ['--apply']]) {
    const { stdout } = await run(...step);
    expect(stdout).toContain('not made here: those that 1 row has beyond their cards\n  WEB-1 "One"\n');
  }
  expect(await client.comments.list((await card('WEB-1')).id).all()).toEqual([]);
});
