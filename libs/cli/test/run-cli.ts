import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '@cardinal/testkit';
import { vi } from 'vitest';
import { runCli } from '../src/cli.ts';
import type { Environment } from '../src/config.ts';

/** The program's file. */
export const main = join(import.meta.dirname, '../src/main.ts');

/** The address and the token of the command. */
export interface Access {
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

/** The environment of somebody with this access. */
export const environmentOf = ({ url, token }: Access) => ({
  ...compileCache,
  // The user of this machine may have profiles.
  PATH: '/usr/bin:/bin',
  CARDINAL_URL: url,
  CARDINAL_TOKEN: token,
  XDG_CONFIG_HOME: '/nonexistent',
});

/** Runs the program as a person does, with its address and token in the environment. */
export const startCli = (
  args: string[],
  access: Access,
  nodeOptions: string[] = [],
  more: Record<string, string> = {},
) => {
  const child = spawn(process.execPath, [...nodeOptions, main, ...args], {
    env: { ...environmentOf(access), ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = async (): Promise<Ended> => {
    const [stdout, stderr] = await output;
    return { code: await code, stdout, stderr };
  };
  const answered = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return { input: child.stdin, answered, ended: ended(), kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

/** Runs it in a shell, its output redirected: `| true`. What fails first in a pipe says the exit code. */
export const runInShell = async (args: string[], redirection: string, access: Access): Promise<Ended> => {
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('/bin/bash', ['--norc', '-o', 'pipefail', '-c', `${command} ${redirection}`], {
    env: environmentOf(access),
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
};

/**
 * Runs it inside the test's process, as one of its own takes half a second to start. What several say at once is mixed.
 */
export const runHere = async (
  args: string[],
  access: Partial<Access>,
  directory = '/',
  more: Partial<Environment> = {},
): Promise<Ended> => {
  const [out, err] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue());
  const said = (spy: typeof out) => (spy?.mock.calls ?? []).map((words) => `${words.join(' ')}\n`).join('');
  try {
    const code = await runCli(
      args,
      { url: undefined, token: undefined, ...access, directory, ...more },
      () => () => false,
    );
    return { code, stdout: said(out), stderr: said(err) };
  } finally {
    out?.mockRestore();
    err?.mockRestore();
  }
};

/**
 * What the stream is for the commands of one step: a terminal of that many columns, until the step ends. A property of
 * its own takes the place of the stream's, which some streams do not let a test write.
 */
export const atTerminal = async <Result>(
  stream: NodeJS.WriteStream,
  step: () => Promise<Result>,
  columns = 80,
): Promise<Result> => {
  const before = Object.getOwnPropertyDescriptors(stream);
  Object.defineProperties(stream, {
    isTTY: { value: true, configurable: true },
    columns: { value: columns, configurable: true },
  });
  try {
    return await step();
  } finally {
    for (const name of ['isTTY', 'columns'] as const) {
      Reflect.deleteProperty(stream, name);
      if (before[name] !== undefined) Object.defineProperty(stream, name, before[name]);
    }
  }
};

/** An import that is run as a person runs it. */
export const startImport = (args: string[], access: Access, nodeOptions: string[] = []) =>
  startCli(['import', ...args], access, nodeOptions);

/** An import inside the test's process. */
export const importHere = (args: string[], access: Access): Promise<Ended> => runHere(['import', ...args], access);

/** The export, in the same way. */
export const exportHere = (args: string[], access: Access): Promise<Ended> => runHere(['export', ...args], access);
