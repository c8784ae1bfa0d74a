import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { commandOf, searchPath } from '../src/index.ts';

/** A run in small: starts one process, and hangs. */
const script = `
import { spawn } from 'node:child_process';
import { startChild, startRun } from '${join(import.meta.dirname, '../src/index.ts')}';
const { folder } = startRun('small');
const child = await startChild({ command: 'sleep', args: ['600'], logFile: folder + '/log' });
process.stdout.write(child.pid + ' ' + folder);
`;

it('is cleaned up by its guard when it is killed', async () => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH: searchPath().join(':'), TMPDIR: scratchFolder('guarded') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told = String(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)));
  const [pid, folder = ''] = [Number(told.split(' ')[0]), told.split(' ')[1]];
  // A process is reported as started a moment before the kernel knows its arguments.
  await eventually(() => expect(commandOf(pid)).toBe('sleep 600'));
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  await eventually(() => expect(commandOf(pid)).toBeUndefined());
  await eventually(() => expect(existsSync(folder)).toBe(false));
});
