import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@cardinal/client/source';
import { type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { namedByCommits } from '../../src/refs/commits.ts';
import { resolveCandidates } from '../../src/refs/resolve.ts';
import { makeRepository, runGit } from '../repository.ts';
import { type Access, runHere, startCli } from '../run-cli.ts';

let stack: SharedStack;
let access: Access;
let current: string;
const nobody: Access = { url: 'http://127.0.0.1:9', token: 'nobody' };

/** WEB-1 to WEB-3, of which WEB-2 has become OPS-1, and OPS-2, which is deleted. */
beforeAll(async () => {
  stack = await sharedStack();
  access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const board = await client.boards.create({ name: 'Launch' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  const web = await client.workstreams.create({ name: 'Web', prefix: 'WEB' });
  const ops = await client.workstreams.create({ name: 'Operations', prefix: 'OPS' });
  const make = (title: string) => client.cards.create(column.id, { title, workstream_id: web.id });
  await make('Refund twice');
  const moved = await make('Tell the bank');
  await make('Count again');
  current = (await client.cards.transfer(moved, { workstream_id: ops.id })).identifier;
  await client.cards.delete(await client.cards.create(column.id, { title: 'Gone', workstream_id: ops.id }));
});

const refs = async (args: string[], directory?: string) => {
  const { code, stdout, stderr } = await runHere(['refs', ...args], access, directory);
  return {
    code,
    stderr,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
};

it('says where the references of a text lead today, and exits with 1 where one never existed', async () => {
  const file = join(scratchFolder('refs'), 'text.md');
  await writeFile(file, 'Fixes WEB-2 and WEB-1,\nin UTF-8: WEB-2, web-3.\n');
  expect(await refs([file])).toMatchObject({
    code: 0,
    lines: [
      { requested: 'WEB-2', line: 1, column: 7, is_alias: true, current_identifier: current },
      { requested: 'WEB-1', line: 1, column: 17, is_alias: false, card: { title: 'Refund twice' } },
      { requested: 'WEB-2', line: 2, column: 11, current_identifier: current },
    ],
  });
  const anyCase = await refs([file, '--any-case']);
  expect(anyCase.lines.at(-1)).toMatchObject({ requested: 'web-3', identifier: 'WEB-3', is_alias: false });
  await writeFile(file, 'WEB-4 and WEB-5, WEB-4');
  expect(await refs([file])).toMatchObject({
    code: 1,
    lines: [{ requested: 'WEB-4', card: null, issued: false }, {}, {}],
    stderr: 'error: never existed: WEB-4, WEB-5\n',
  });
});

it('warns of what is deleted or not for the caller, and exits with 1 for that with --strict alone', async () => {
  const file = join(scratchFolder('refs'), 'text.md');
  await writeFile(file, 'OPS-2');
  const lines = [{ requested: 'OPS-2', card: null, issued: true }];
  expect(await refs([file])).toMatchObject({ code: 0, lines, stderr: 'warning: deleted, or not for you: OPS-2\n' });
  expect(await refs([file, '--strict'])).toMatchObject({
    code: 1,
    lines,
    stderr: 'error: deleted, or not for you: OPS-2\n',
  });
  await writeFile(file, Array.from({ length: 23 }, (_, at) => `WEB-${at + 100}`).join(' '));
  expect((await refs([file])).stderr).toMatch(/^error: never existed: WEB-100, .*, WEB-119 and 3 more\n$/);
});

it('reads standard input, and asks for nothing where nothing looks like a reference', async () => {
  const piped = startCli(['refs', '-'], access);
  piped.input.end('OPS-1');
  expect(JSON.parse((await piped.ended).stdout)).toMatchObject({ current_identifier: 'OPS-1', line: 1 });
  const empty = startCli(['refs'], nobody);
  empty.input.end('Nothing here, in UTF8.');
  expect(await empty.ended).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('finds what names of branches name, those of a repository and those of a text', async () => {
  const repository = await makeRepository([{ message: 'Begin' }]);
  for (const name of [
    'feature/WEB-1-fix-login',
    'ada/web-3-count',
    'fix_WEB-2_again',
    'bugfix-WEB-1',
    'WEB-1-2',
    'utf-8',
  ])
    await runGit(repository, ['branch', name]);
  await runGit(repository, ['update-ref', 'refs/remotes/origin/WEB-3', 'main']);
  await runGit(repository, ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/WEB-3']);
  const { code, lines } = await refs(['--branches'], repository);
  expect([
    code,
    lines.map(({ branch, requested, current_identifier }) => [branch, requested, current_identifier]),
  ]).toEqual([
    0,
    [
      ['ada/web-3-count', 'web-3', 'WEB-3'],
      ['bugfix-WEB-1', 'WEB-1', 'WEB-1'],
      ['feature/WEB-1-fix-login', 'WEB-1', 'WEB-1'],
      ['fix_WEB-2_again', 'WEB-2', current],
      ['origin/WEB-3', 'WEB-3', 'WEB-3'],
    ],
  ]);
  const piped = startCli(['refs', '--branches', '-'], access);
  piped.input.end('Fix_WEB-9\n');
  expect(await piped.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('"card":null') });
  expect((await refs(['--branches'], '/')).code).toBe(1);
  expect((await refs(['--branches', '--git', 'HEAD'], repository)).code).toBe(2);
});

it('finds beside scripts without blanks, and in words of a path', async () => {
  const file = join(scratchFolder('refs'), 'text.md');
  await writeFile(file, '修复WEB-1的问题\nWEB-3を直す, แก้WEB-1ครับ\nfeature/WEB-3-fix-login WEB-1_again WEB-1-2');
  const { lines } = await refs([file]);
  expect(lines.map(({ requested }) => requested)).toEqual(['WEB-1', 'WEB-3', 'WEB-1', 'WEB-3', 'WEB-1']);
});

it('is ended by a signal', async () => {
  const reading = startCli(['refs'], access);
  reading.input.write('WEB-1 '.repeat(20_000), () => reading.kill('SIGINT'));
  expect((await reading.ended).code).toBe(null);
});

it('counts as a reference in a text what the service counts', async () => {
  const text = '[WEB-1] xWEB-1 WEB-1-2 WEB-01 WEB-1_ (WEB-2)WEB-3. 日本WEB-1 "WEB-3" https://example.org/WEB-1?a NOT-1';
  const file = join(scratchFolder('refs'), 'text.md');
  await writeFile(file, text);
  const client = createClient({ baseUrl: access.url, token: access.token });
  const answers = await client.identifiers.resolve({ text });
  expect((await refs([file])).lines.map(({ requested, column }) => [requested, column])).toEqual(
    answers.map(({ requested, start }) => [requested, (start ?? 0) + 1]),
  );
  expect(answers.length).toBeGreaterThan(3);
});

it('lists the cards that commits name, whatever their messages and encodings are', async () => {
  const repository = await makeRepository([
    { message: 'Begin WEB-1' },
    { message: Buffer.from('\xe9WEB-1 is none, Gr\xf6\xdfe of WEB-3 is one', 'latin1'), encoding: 'ISO-8859-1' },
    { message: 'Mend WEB-2, really WEB-2\n\ncommit 0123456789\nAuthor: Nobody <n@example.org>\n\n    OPS-1, UTF-8' },
    { message: '' },
    { message: 'Forget WEB-9' },
  ]);
  const all = await refs(['--git', 'main'], repository);
  expect(all.code).toBe(1);
  expect(
    all.lines.map(({ identifier, current_identifier, commits }) => [identifier, current_identifier, commits.length]),
  ).toEqual([
    ['WEB-9', null, 1],
    ['WEB-2', current, 1],
    ['OPS-1', current, 1],
    ['WEB-3', 'WEB-3', 1],
    ['WEB-1', 'WEB-1', 1],
  ]);
  const some = await refs(['--git', 'main~3..main~1'], repository);
  expect(some).toMatchObject({ code: 0, lines: [{ identifier: 'WEB-2', card: { title: 'Tell the bank' } }, {}] });
  expect(await refs(['--git', 'v1.0..main'], repository)).toMatchObject({
    code: 1,
    lines: [],
    stderr: expect.stringMatching(/^error: git: .*v1\.0\.\.main.*\n$/),
  });
  const written = join(repository, 'written');
  expect((await refs(['--git', `--output=${written}`], repository)).code).toBe(1);
});

it('says so where a shallow clone lacks commits of the range', async () => {
  const whole = await makeRepository(['WEB-1', 'WEB-9', 'WEB-2', 'WEB-3'].map((message) => ({ message })));
  const shallow = join(scratchFolder('shallow'), 'clone');
  await runGit(whole, ['clone', '-q', '--depth', '2', `file://${whole}`, shallow]);
  await runGit(shallow, ['worktree', 'add', '-q', '../linked', 'HEAD']);
  const told = /^this clone is shallow, .*"git fetch --unshallow" brings them\n$/;
  for (const directory of [shallow, join(shallow, '../linked')]) {
    const cut = await refs(['--git', 'HEAD'], directory);
    expect([cut.code, cut.stderr, cut.lines.length]).toEqual([0, expect.stringMatching(told), 2]);
    expect(await refs(['--git', 'HEAD~1..HEAD'], directory)).toMatchObject({ code: 0, stderr: '', lines: [{}] });
  }
  expect(await refs(['--git', 'HEAD'], whole)).toMatchObject({ code: 1, stderr: 'error: never existed: WEB-9\n' });
});

it('asks once for a hundred identifiers of a history of 10,000 commits', async () => {
  const commits = Array.from({ length: 10_000 }, (_, n) => ({
    message: `Change ${n} [WEB-${(n % 2_000) + 1}], RFC-${n + 1}, in UTF-8`,
  }));
  const { named } = await namedByCommits('main', false, await makeRepository(commits));
  expect(named).toHaveLength(2_000 + 10_000 + 1);
  let requests = 0;
  const client = createClient({ baseUrl: access.url, token: access.token, onAttempt: () => (requests += 1) });
  const found: { identifier: string; commits: string[] }[] = [];
  for await (const one of resolveCandidates(client, named)) found.push(one);
  expect(found).toHaveLength(2_000);
  expect(found.every(({ commits }) => new Set(commits).size === 5)).toBe(true);
  // 20 for 2,000 identifiers, and one that showed that RFC is no workstream's prefix.
  expect(requests).toBeLessThanOrEqual(21);
});
