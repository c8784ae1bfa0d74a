import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a program in a process of its own. Returns its output so far; `stdout` may be an open file instead. */
export const runProgram = (
  program: URL,
  { args = [], env = {}, stdout = 'pipe' }: { args?: string[]; env?: NodeJS.ProcessEnv; stdout?: 'pipe' | number } = {},
) => {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    env: { NODE_NO_WARNINGS: '1', ...env },
    stdio: ['pipe', stdout, 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr?.on('data', (data) => {
    output.stderr += data;
  });
  const closed = once(child, 'close').then(([code, signal]) => ({ ...output, code, signal }));
  return { child, output, closed };
};

/** The JSON log lines in an output. */
export const logLines = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
