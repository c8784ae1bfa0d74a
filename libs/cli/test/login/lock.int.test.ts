import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { alone } from '../../src/login/lock.ts';

const secondsAgo = (seconds: number) => new Date(Date.now() - 1_000 * seconds);

/** Runs many at once, and says how many of them ran at a time at most. */
const runMany = async (lock: string) => {
  let [now, most] = [0, 0];
  const run = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise(setImmediate);
    now -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => alone(lock, run)));
  return most;
};

it('lets one run at a time, and the next one after an error', async () => {
  const folder = scratchFolder('lock');
  const lock = join(folder, 'lock');
  await expect(alone(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await alone(lock, () => 'done')).toBe('done');
  expect(await runMany(lock)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

it('passes from a process that was killed to one of those that wait, and is held as long as its holder lives', async () => {
  const folder = scratchFolder('lock');
  const lock = join(folder, 'lock');
  const script = `import { alone } from ${JSON.stringify(join(import.meta.dirname, '../../src/login/lock.ts'))};
    await alone(${JSON.stringify(lock)}, () => new Promise(() => console.log('held')));`;
  const kill = async (file: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // It shows that it lives.
    utimesSync(file, secondsAgo(9), secondsAgo(9));
    await expect.poll(() => statSync(file).mtime > secondsAgo(8), { timeout: 5_000 }).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  await kill(`${lock}.0`);
  utimesSync(`${lock}.0`, secondsAgo(11), secondsAgo(11));
  // The process that took it from a dead one may be killed too.
  await kill(`${lock}.1`);
  utimesSync(`${lock}.1`, secondsAgo(11), secondsAgo(11));
  expect(await runMany(lock)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});
