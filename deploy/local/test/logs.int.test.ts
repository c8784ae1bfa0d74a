import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLog, startChild } from '@cardinal/servers';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { rotateLogs } from '../src/logs.ts';

it('puts a log aside while its process writes, and nothing of it is lost', async () => {
  const folder = scratchFolder('logs');
  const logFile = join(folder, 'card.log');
  const rotation = rotateLogs(folder, { limit: 10_000, everyMs: 10 });
  onTestFinished(rotation.stop);
  const script = `process.stdout.write('x'.repeat(20_000) + '\\n');
    process.on('SIGUSR2', () => process.stdout.write('after\\n'))`;
  const child = await startChild({
    command: process.execPath,
    args: ['-e', `setInterval(() => {}, 60_000); ${script}`],
    logFile,
  });
  onTestFinished(() => child.stop('SIGKILL'));
  const aside = await eventually(() => readFileSync(`${logFile}.old`, 'utf8'));
  expect(aside).toBe(`${'x'.repeat(20_000)}\n`);
  child.kill('SIGUSR2');
  await eventually(() => expect(readFileSync(logFile, 'utf8')).toBe('after\n'));
  // A reader that continues where the log ended before reads what is new.
  expect(readLog(logFile, 20_001)).toBe('after\n');
  expect(readdirSync(folder).sort()).toEqual(['card.log', 'card.log.old']);
});
