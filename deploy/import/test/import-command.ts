import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '@cardinal/testkit';
import { vi } from 'vitest';
import { runExport } from '../src/cardinal/export-command.ts';
import { runCommand } from '../src/command.ts';
import type { ImportEnvironment } from '../src/config.ts';

const main = join(import.meta.dirname, '../src/main.ts');

/** Where the command finds Cardinal, and as whom. */
interface Access {
  url: string;
  token: string;
}

/** How a run of the command ended. */
interface Ended {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the import as a person does, with its address and token in the environment. */
export const startImport = (args: string[], access: Access, nodeOptions: string[] = []) => {
  const child = spawn(process.execPath, [...nodeOptions, main, ...args], {
    env: { ...compileCache, PATH: '/usr/bin:/bin', CARDINAL_URL: access.url, CARDINAL_TOKEN: access.token },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = async (): Promise<Ended> => {
    const [stdout, stderr] = await output;
    return { code: await code, stdout, stderr };
  };
  return { input: child.stdin, ended: ended(), kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

type Run = (args: string[], environment: ImportEnvironment, isStopped: () => boolean) => Promise<number>;

const runHere = async (run: Run, args: string[], access: Access): Promise<Ended> => {
  const [out, err] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue());
  const said = (spy: typeof out) => (spy?.mock.calls ?? []).map((words) => `${words.join(' ')}\n`).join('');
  try {
    const code = await run(args, { ...access, directory: '/' }, () => false);
    return { code, stdout: said(out), stderr: said(err) };
  } finally {
    out?.mockRestore();
    err?.mockRestore();
  }
};

/**
 * Runs it inside the test's process, as one of its own takes half a second to start. What several say at once is mixed.
 * A wrong command line would end the test.
 */
export const importHere = (args: string[], access: Access): Promise<Ended> => runHere(runCommand, args, access);

/** The export, in the same way. */
export const exportHere = (args: string[], access: Access): Promise<Ended> => runHere(runExport, args, access);
