import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Card, createClient } from '@cardinal/client/source';
import { type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { importHere } from '../run-cli.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** A workspace of its own, in which tables are imported. */
const workspace = async () => {
  const access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const folder = scratchFolder('taken');
  const cards = async (): Promise<Card[]> =>
    (await Promise.all([false, true].map((archived) => client.cards.search({ archived }).all()))).flat();
  return {
    client,
    /** Writes the table and imports it. */
    async run(name: string, content: string, ...more: string[]) {
      await writeFile(join(folder, name), content);
      return importHere([join(folder, name), '--title', 'title', ...more], access);
    },
    boards: async () => (await client.boards.list().all()).length,
    named: async () => (await cards()).map(({ identifier, title }) => `${identifier} ${title}`).sort(),
    cards,
  };
};

const keyed = ['--map', 'key=key'];
/** The last line of an import that counts. */
const counts = (stdout: string) => /\d+ cards? made, \d+ already there, \d+ refused/.exec(stdout)?.[0];

describe('a row whose number is taken', () => {
  it.each([
    ['another title', 'title,key\nSomebody else entirely,WEB-1\n', []],
    ['another description', 'title,key,text\nFirst,WEB-1,Not the same\n', ['--map', 'description=text']],
    ['another date', 'title,key,at\nFirst,WEB-1,2024-01-01\n', ['--map', 'created_at=at']],
    ['a former key', 'title,key,was\nOther,NEW-7,WEB-1\n', ['--map', 'former=was']],
    ['a number without a prefix', 'title,key\nOther,001\n', ['--prefix', 'WEB']],
  ])('is refused in the plan, and nothing is written: %s', async (_, content, more) => {
    const { run, named, boards } = await workspace();
    expect((await run('one.csv', 'title,key\nFirst,WEB-1\n', ...keyed, '--apply')).code).toBe(0);
    const planned = await run('two.csv', content, ...keyed, ...more);
    expect(planned.stdout).toMatch(/two\.csv:2 \([A-Z]+-\d\): WEB-1 is that of another card, "First"\n/);
    expect(planned.code).toBe(1);
    const applied = await run('two.csv', content, ...keyed, ...more, '--apply');
    expect(applied.stdout).toContain('WEB-1 is that of another card, "First"\n');
    expect([applied.code, counts(applied.stdout)]).toEqual([1, '0 cards made, 0 already there, 1 refused']);
    expect([await named(), await boards()]).toEqual([['WEB-1 First'], 1]);
  });

  it('holds up the others of its file until that is asked for, and is refused by the journal of another file too', async () => {
    const { run, named } = await workspace();
    const folder = ['--run', scratchFolder('run')];
    await run('one.csv', 'title,key\nFirst,WEB-1\n', ...keyed, '--apply', ...folder);
    const second = 'title,key\nOther,WEB-1\nSecond,WEB-2\n';
    const elsewhere = await run('two.csv', second, ...keyed, '--apply');
    expect([elsewhere.code, await named()]).toEqual([1, ['WEB-1 First']]);
    const same = await run('two.csv', second, ...keyed, '--apply', ...folder);
    expect([same.code, counts(same.stdout)]).toEqual([1, '1 card made, 0 already there, 1 refused']);
    expect(same.stdout).toContain('two.csv:2 (WEB-1): another row of this run became WEB-1');
    const left = await run('two.csv', second.replace('WEB-2', 'WEB-3'), ...keyed, '--apply', '--leave-out-refused');
    expect([left.code, counts(left.stdout)]).toEqual([1, '1 card made, 0 already there, 1 refused']);
    expect(await named()).toEqual(['WEB-1 First', 'WEB-2 Second', 'WEB-3 Second']);
  });

  it('is already there where it is the same row, also when the workstream numbers its own cards by then', async () => {
    const { run, named } = await workspace();
    const rows = 'title,key\nFirst,WEB-1\nSecond,WEB-4\n';
    await run('one.csv', rows, ...keyed, '--apply', '--open');
    const again = await run('one.csv', rows, ...keyed, '--apply', '--run', scratchFolder('run'));
    expect([again.code, counts(again.stdout)]).toEqual([0, '0 cards made, 2 already there, 0 refused']);
    const more = await run('one.csv', `${rows}Third,WEB-9\nFourth,\n`, ...keyed, '--prefix', 'WEB', '--apply');
    expect([more.code, counts(more.stdout)]).toEqual([1, '1 card made, 2 already there, 1 refused']);
    expect(more.stdout).toContain('(WEB-9): workstream WEB is there and numbers its own cards');
    expect(await named()).toEqual(['WEB-1 First', 'WEB-4 Second', 'WEB-5 Fourth']);
  });
});

describe('rows without a key', () => {
  it('get numbers behind the highest of the workstream, also of other cards, and keep them', async () => {
    const { run, named, cards, client } = await workspace();
    await run('one.csv', 'title,key\nFirst,WEB-5\nLast,WEB-9\n', ...keyed, '--apply');
    const last = (await cards()).find(({ identifier }) => identifier === 'WEB-9');
    await client.cards.delete(last ?? { id: '', version: 0 });
    const rows = 'title,at\nBuy a sign,2024-03-01\nBuy a sign,2024-03-01\n';
    const more = ['--prefix', 'WEB', '--map', 'created_at=at', '--apply'];
    expect((await run('two.csv', rows, ...more)).code).toBe(0);
    const there = ['WEB-10 Buy a sign', 'WEB-11 Buy a sign', 'WEB-5 First'];
    expect(await named()).toEqual(there);
    const again = await run('two.csv', `${rows}Paint it,2024-03-02\n`, ...more);
    expect([again.code, counts(again.stdout)]).toEqual([0, '1 card made, 2 already there, 0 refused']);
    expect(await named()).toEqual(['WEB-10 Buy a sign', 'WEB-11 Buy a sign', 'WEB-12 Paint it', 'WEB-5 First']);
    expect((await cards()).find(({ title }) => title === 'Paint it')?.created_at).toMatch(/^2024-03-02/);
  });

  it('may be all that there is', async () => {
    const { run, named } = await workspace();
    const { code, stdout } = await run('one.csv', 'title\nBuy a sign\nPaint the wall\n', '--prefix', 'SIGN', '--apply');
    expect([code, counts(stdout)]).toEqual([0, '2 cards made, 0 already there, 0 refused']);
    expect(await named()).toEqual(['SIGN-1 Buy a sign', 'SIGN-2 Paint the wall']);
  });
});

describe('keys that are no identifiers', () => {
  it('keep their numbers', async () => {
    const { run, named, cards } = await workspace();
    const rows =
      'title,key\nHas a key,WEB-5\nNumber alone,12\nHash,#13\nZeros,007\nMore zeros,AUTO-001\nOdd,BIZ_TOOLS-12\nPath,group/app#4\nNo key,\n';
    const asked = await run('keys.csv', rows, ...keyed);
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain('to decide: 3 keys are numbers alone (12, #13, 007)');
    expect(asked.stdout).toContain("--prefix-for 'BIZ_TOOLS=BIZTOOLS'");
    expect(asked.stdout).toContain("--prefix-for 'group/app=GROUPAPP'");
    const said = ['--prefix', 'WEB', '--prefix-for', 'biz_tools=BIZ', '--prefix-for', 'group/app=APP', '--apply'];
    expect((await run('keys.csv', rows, ...keyed, ...said)).stdout).toContain('8 cards made');
    expect(await named()).toEqual([
      'APP-4 Path',
      'AUTO-1 More zeros',
      'BIZ-12 Odd',
      'WEB-12 Number alone',
      'WEB-13 Hash',
      'WEB-14 No key',
      'WEB-5 Has a key',
      'WEB-7 Zeros',
    ]);
    const odd = (await cards()).find(({ title }) => title === 'Odd');
    expect(odd?.description).toBe('Key before the move: BIZ_TOOLS-12');
  });

  it.each(['draft', 'WEB-0', '0', 'WEB-1000000000000'])(
    'are refused where they have no number that can be: %s',
    async (key) => {
      const { run } = await workspace();
      const { code, stdout } = await run('keys.csv', `title,key\nA,${key}\n`, ...keyed, '--prefix', 'WEB');
      expect([code, stdout]).toEqual([1, expect.stringContaining(`keys.csv:2: the key "${key}" has `)]);
    },
  );
});

describe('what a run says', () => {
  it('is what the workspace has, after cards were deleted and an import was undone', async () => {
    const { run, named, cards, client } = await workspace();
    const rows = 'title,key\nOne,BEE-1\nTwo,BEE-2\nThree,\n';
    const apply = async () => counts((await run('bee.csv', rows, ...keyed, '--apply')).stdout);
    expect(await apply()).toBe('3 cards made, 0 already there, 0 refused');
    for (const title of ['One', 'Three']) {
      const card = (await cards()).find((one) => one.title === title);
      await client.cards.delete(card ?? { id: '', version: 0 });
    }
    const planned = await run('bee.csv', rows, ...keyed);
    expect(planned.stdout).toContain('bee.csv:2 (BEE-1): its card was deleted, and BEE-1 is never given again\n');
    expect(planned.stdout).toContain('in the workspace: 1 card is new, 1 already there, 1 refused\n');
    expect(await apply()).toBe('1 card made, 1 already there, 1 refused');
    expect(await named()).toEqual(['BEE-2 Two', 'MAIN-2 Three']);
    expect(await apply()).toBe('0 cards made, 2 already there, 1 refused');
    expect((await run('bee.csv', rows, ...keyed, '--undo', '--yes')).stdout).toMatch(
      /\n2 cards deleted, and board bee\n {2}1 card was deleted before\n/,
    );
    const again = await run('bee.csv', rows, ...keyed);
    expect([again.code, again.stdout]).toEqual([
      1,
      expect.stringContaining('1 card is new, 0 already there, 2 refused'),
    ]);
    expect(await apply()).toBe('0 cards made, 0 already there, 2 refused');
    expect(await named()).toEqual([]);
    const left = await run('bee.csv', rows, ...keyed, '--apply', '--leave-out-refused');
    expect(counts(left.stdout)).toBe('1 card made, 0 already there, 2 refused');
    expect(await named()).toEqual(['MAIN-3 Three']);
  });
});
