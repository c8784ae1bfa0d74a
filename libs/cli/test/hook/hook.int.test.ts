import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@cardinal/client/source';
import { type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeRepository, runGit } from '../repository.ts';
import { type Access, environmentOf, main, runHere } from '../run-cli.ts';

const require = createRequire(import.meta.url);
let stack: SharedStack;
let access: Access;
let programs: string;

/** A card that was WEB-1 and is OPS-1, and `cardinal` as a program that git's hooks find. */
beforeAll(async () => {
  stack = await sharedStack();
  access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const board = await client.boards.create({ name: 'Launch' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  const web = await client.workstreams.create({ name: 'Web', prefix: 'WEB' });
  const ops = await client.workstreams.create({ name: 'Operations', prefix: 'OPS' });
  const card = await client.cards.create(column.id, { title: 'Refund twice', workstream_id: web.id });
  await client.cards.transfer(card, { workstream_id: ops.id });
  programs = scratchFolder('programs');
  await writeFile(join(programs, 'cardinal'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(join(programs, 'cardinal'), 0o755);
});

const install = (repository: string, ...args: string[]) => runHere(['hook', 'install', ...args], access, repository);

const environment = (given: Access) => {
  const env = environmentOf(given);
  return { ...env, PATH: `${programs}:${env.PATH}` };
};

/** What a commit says on its way, and the message that it has in the end. */
const commit = async (repository: string, message: string, given: Access = access) => {
  const env = environment(given);
  const { code, stderr } = await runGit(repository, ['commit', '-q', '--allow-empty', '-F', '-'], {
    input: message,
    env,
  });
  const { stdout } = await runGit(repository, ['log', '-1', '--format=%B']);
  return { code, stderr, message: stdout.trimEnd() };
};

const empty = () => makeRepository([{ message: 'Begin' }]);

describe('the hook', () => {
  it('warns of references that lead nowhere or have a new name, and changes nothing', async () => {
    const repository = await empty();
    expect(await install(repository)).toMatchObject({ code: 0, stdout: `${repository}/.git/hooks/commit-msg\n` });
    const message = 'Mend WEB-1 and WEB-1, see WEB-77 and UTF-8';
    expect(await commit(repository, message)).toEqual({
      code: 0,
      stderr: 'cardinal: WEB-1 is OPS-1 today\ncardinal: WEB-77 leads to no card: never existed\n',
      message,
    });
    expect(await commit(repository, 'Mend OPS-1')).toMatchObject({ code: 0, stderr: '' });
  });

  it("writes today's identifiers with --rewrite, but into no comment", async () => {
    const repository = await empty();
    await install(repository, '--rewrite');
    const editor = `f() { printf 'Größe “WEB-1”\\n\\n# of WEB-1\\n' > "$1"; }; f`;
    const env = { ...environment(access), GIT_EDITOR: editor };
    const { stderr } = await runGit(repository, ['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-e'], { env });
    expect(stderr).toContain('cardinal: WEB-1 is written as OPS-1\n');
    const { stdout } = await runGit(repository, ['log', '-1', '--format=%B']);
    expect(stdout.trimEnd()).toBe('Größe “OPS-1”\n\n# of WEB-1');
  });

  it('stops no commit: without the service, a token, an answer, or the program', async () => {
    const repository = await empty();
    await install(repository);
    const away = { url: 'http://127.0.0.1:9', token: 'any' };
    expect(await commit(repository, 'Mend WEB-1', away)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^cardinal: references were not looked at: no answer from http:\/\/127\.0\.0\.1:9.*\n$/,
      ),
      message: 'Mend WEB-1',
    });
    expect(await commit(repository, 'Mend WEB-1', { ...access, token: '' })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not looked at: no token'),
    });
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    expect(await commit(repository, 'Mend WEB-1', { ...access, url })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not looked at: no answer from'),
    });
    const { code } = await runGit(repository, ['commit', '-q', '--allow-empty', '-m', 'Mend WEB-1']);
    expect(code).toBe(0);
  });
});

describe('its installation', () => {
  const others = '#!/bin/sh\ngrep -q allowed "$1"\n';

  it('leaves a hook that is there alone, but where it is to be added to, whose verdict remains', async () => {
    const repository = await empty();
    const file = join(repository, '.git/hooks/commit-msg');
    await mkdir(join(repository, '.git/hooks'), { recursive: true });
    await writeFile(file, others, { mode: 0o755 });
    expect(await install(repository)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is a hook already'),
    });
    expect(await readFile(file, 'utf8')).toBe(others);
    expect((await install(repository, '--add')).code).toBe(0);
    expect((await install(repository)).code).toBe(0);
    const [first, line, ...rest] = (await readFile(file, 'utf8')).split('\n');
    expect([first, ...rest].join('\n')).toBe(others);
    expect(line).toContain('cardinal hook commit-msg');
    expect((await commit(repository, 'WEB-1 forbidden')).code).toBe(1);
    expect(await commit(repository, 'WEB-1 allowed')).toMatchObject({
      code: 0,
      stderr: 'cardinal: WEB-1 is OPS-1 today\n',
    });
  });

  it('is the file that husky runs, and stays where husky is installed again', async () => {
    const repository = await empty();
    const husky = join(dirname(require.resolve('husky')), 'bin.js');
    const installHusky = () => promisify(execFile)(process.execPath, [husky], { cwd: repository });
    await installHusky();
    const file = join(repository, '.husky/commit-msg');
    await writeFile(file, 'grep -q allowed "$1"\n');
    expect(await install(repository)).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
    expect(await install(repository, '--add')).toMatchObject({ code: 0, stdout: `${file}\n` });
    await installHusky();
    expect(await commit(repository, 'WEB-1 allowed')).toMatchObject({
      code: 0,
      stderr: 'cardinal: WEB-1 is OPS-1 today\n',
    });
    expect((await commit(repository, 'WEB-1 forbidden')).code).toBe(1);
  });

  it('adds to no hook that is in another language', async () => {
    const repository = await empty();
    const file = join(repository, '.git/hooks/commit-msg');
    await mkdir(join(repository, '.git/hooks'), { recursive: true });
    await writeFile(file, '#!/usr/bin/env python3\n', { mode: 0o755 });
    expect(await install(repository, '--add')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no shell script'),
    });
  });

  it('adds to no hook that git passes over', async () => {
    const repository = await empty();
    const file = join(repository, '.git/hooks/commit-msg');
    await mkdir(join(repository, '.git/hooks'), { recursive: true });
    await writeFile(file, others, { mode: 0o644 });
    expect(await install(repository, '--add')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: git passes over .*commit-msg, which is not executable; chmod \+x it.*\n$/),
    });
    expect(await readFile(file, 'utf8')).toBe(others);
  });

  it('goes where the repository has its hooks, from any of its folders', async () => {
    const repository = await empty();
    await runGit(repository, ['config', 'core.hooksPath', '.githooks']);
    const below = join(repository, 'a/b');
    await mkdir(below, { recursive: true });
    expect((await install(below)).stdout).toBe(`${repository}/.githooks/commit-msg\n`);
    expect((await commit(repository, 'WEB-1')).stderr).toContain('WEB-1 is OPS-1');
  });

  it('is refused outside a repository', async () => {
    expect(await install(scratchFolder('nothing'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: git: not a git repository.*\n$/),
    });
  });
});
