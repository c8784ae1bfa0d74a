import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { commandOf } from '../src/index.ts';

/** A run in small: notes one process of its own, has a guard, and hangs. */
const script = `
import { spawn } from 'node:child_process';
import { noteProcesses, startChild, startGuard } from '${join(import.meta.dirname, '../src/index.ts')}';
const run = process.argv[1];
noteProcesses(run);
startGuard(run);
const child = await startChild({ command: 'sleep', args: ['600'], logFile: run + '/log' });
process.stdout.write(String(child.pid));
`;

it('is cleaned up by its guard when it is killed', async () => {
  const folder = join(scratchFolder('guarded'), 'run');
  mkdirSync(folder);
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, folder], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)));
  // A process is told to be started a moment before the kernel knows its arguments.
  await eventually(() => expect(commandOf(pid)).toBe('sleep 600'));
  child.kill('SIGKILL');
  await eventually(() => expect(commandOf(pid)).toBeUndefined());
  await eventually(() => expect(existsSync(folder)).toBe(false));
});
