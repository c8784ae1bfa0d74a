import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const main = join(import.meta.dirname, '../src/import/main.ts');

/** How a run of the command ended. */
export interface Ended {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the import as a person does, with its address and token in the environment. */
export const startImport = (args: string[], access: { url: string; token: string }) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: '/usr/bin:/bin', CARDINAL_URL: access.url, CARDINAL_TOKEN: access.token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = async (): Promise<Ended> => {
    const [stdout, stderr] = await output;
    return { code: await code, stdout, stderr };
  };
  return { ended: ended(), kill: (signal: NodeJS.Signals) => child.kill(signal) };
};
