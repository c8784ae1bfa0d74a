import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from '@cardinal/client/source';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { startRecorder } from '../operations/recorder.ts';
import { makeRepository, runGit } from '../repository.ts';
import { environmentOf, main } from '../run-cli.ts';

const job = join(import.meta.dirname, '../../examples/ci.sh');
const programs = scratchFolder('programs');
let recorder: Awaited<ReturnType<typeof startRecorder>>;
let key: string;

/** MAIN-1, MAIN-2, which is deleted, and a key that reads. */
beforeAll(async () => {
  const stack = await sharedStack();
  const client = createClient({ baseUrl: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) });
  const board = await client.boards.create({ name: 'Launch' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  await client.cards.create(column.id, { title: 'Refund twice' });
  await client.cards.delete(await client.cards.create(column.id, { title: 'Gone' }));
  key = (await client.keys.create({ name: 'ci', scope: 'kanban:read' })).key ?? '';
  await writeFile(join(programs, 'cardinal'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(join(programs, 'cardinal'), 0o755);
  recorder = await startRecorder(stack.origin);
  return () => recorder.stop();
});

const run = async (directory: string, args: string[]) => {
  const env = environmentOf({ url: recorder.url, token: key });
  const child = spawn('/bin/sh', [job, ...args], {
    cwd: directory,
    env: { ...env, PATH: `${programs}:${env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
};

/** A repository whose branch `change` has fifty commits more than `main`. */
const changed = async (...messages: string[]) => {
  const more = Array.from({ length: 50 }, (_, at) => ({ message: `Step ${at} of MAIN-1, in UTF-8` }));
  const repository = await makeRepository([
    { message: 'Begin MAIN-77' },
    ...more,
    ...messages.map((message) => ({ message })),
  ]);
  await runGit(repository, ['branch', 'change']);
  await runGit(repository, ['update-ref', 'refs/heads/main', `main~${more.length + messages.length}`]);
  return repository;
};

it('passes a change whose references exist or existed, with one request, again and twice at once', async () => {
  const repository = await changed('Undo MAIN-2');
  const runs = [await run(repository, ['main', 'change']), await run(repository, ['main', 'change'])];
  expect(recorder.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
    Array(2).fill('POST /api/kanban/v1/identifiers/resolve'),
  );
  const atOnce = [run(repository, ['main', 'change']), run(repository, ['main', 'change'])];
  for (const { code, stdout, stderr } of [...runs, ...(await Promise.all(atOnce))]) {
    expect([code, stderr]).toEqual([0, 'warning: deleted, or not for you: MAIN-2\n']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).identifier)).toEqual(['MAIN-2', 'MAIN-1']);
  }
  expect(recorder.requests).toHaveLength(4);
});

it('fails for a reference that never existed, and where it was not told what to look at', async () => {
  const repository = await changed('Mend MAIN-3');
  expect(await run(repository, ['main', 'change'])).toMatchObject({
    code: 1,
    stderr: 'error: never existed: MAIN-3\n',
  });
  expect((await run(repository, ['nowhere', 'change'])).code).toBe(1);
  expect(await run(repository, [])).toMatchObject({ code: 2, stderr: expect.stringContaining('goes into') });
});
