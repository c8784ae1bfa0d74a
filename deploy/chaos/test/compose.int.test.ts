import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

it('says in a line that no engine answers, and fails', async () => {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  // Without programs there is no docker among them.
  const options = { env: { PATH: '/nowhere' } };
  const ended = await new Promise<{ code: unknown; said: string }>((resolve) => {
    execFile(process.execPath, [main, '--compose', '--seed', '1'], options, (error, _, said) =>
      resolve({ code: error?.code, said }),
    );
  });
  expect(ended.code).toBe(1);
  expect(ended.said.trim().split('\n')).toEqual([
    expect.stringContaining('seed 1'),
    expect.stringMatching(/NOTHING WAS TRIED, as no Docker engine with Compose answers \(.*ENOENT\)$/),
  ]);
});
