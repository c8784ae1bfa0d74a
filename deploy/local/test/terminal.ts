import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { repository } from '@cardinal/servers';
import { eventually } from '@cardinal/testkit';
import { onTestFinished } from 'vitest';

const script = '/usr/bin/script';

/** Whether programs can be given a terminal here. */
export const hasTerminals: boolean = existsSync(script);

/**
 * An interactive bash in the folder of the project, on a terminal of 200 columns, for one test. What it started in the
 * background ends with it.
 */
export const openTerminal = async (env: Record<string, string>) => {
  const child = spawn(script, ['-qfc', 'bash --norc --noediting -i', '/dev/null'], {
    cwd: repository,
    env: { ...env, TERM: 'dumb', PS1: '', PS2: '' },
    stdio: 'pipe',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (shown += text));
  // A progress bar is gone when its command is done.
  const clean = (text: string) =>
    stripVTControlCharacters(text)
      .replaceAll('\r', '')
      .replace(/^.*[█░].*\n/gm, '');
  let pasted = 0;
  /** Pastes lines. @returns what the terminal shows from there until they are done */
  const paste = async (text: string): Promise<string> => {
    pasted += 1;
    const before = shown.length;
    // Spelled in two parts, so that the line itself is not what is waited for.
    child.stdin.write(`${text.trimEnd()}\nprintf '%s\\n' "done"-${pasted}\n`);
    const done = `done-${pasted}\n`;
    const look = () => {
      const output = clean(shown.slice(before));
      if (!output.includes(done)) throw new Error(`${text} is not done: ${output}`);
      return output.slice(0, output.indexOf(done));
    };
    return eventually(look);
  };
  await paste('PS1= PS2=; stty -echo cols 200');
  onTestFinished(async () => {
    // The group of each: `npx` has children.
    child.stdin.write('for job in $(jobs -p); do kill -- -$job; done; exit\n');
    child.stdin.end();
    await ended;
  });
  return { paste, shown: () => clean(shown) };
};
