import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { firstOf } from '@cardinal/runtime';
import { commandOf, compileCache, endProcess, ensureKeys, repository } from '@cardinal/servers';
import { eventually } from '@cardinal/testkit';
import { onTestFinished } from 'vitest';
import { demoScope, demoUser, demoWorkspace } from '../src/demo.ts';

interface Noted {
  pid: number;
  identity: string;
}

const script = join(repository, 'deploy/local/src/start.ts');

/** A user without rights everywhere: as root, programs run as `nobody`. */
export const somebody = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {};

const endAll = async (child: ChildProcess, state: string) => {
  const left = processesOf(state);
  child.kill('SIGKILL');
  for (const { pid, identity } of left) await endProcess(pid, identity, []);
};

/** Runs `npm start`'s program for one test; it and everything that it started end with the test. */
export const run = (
  state: string,
  port: number,
  env: Record<string, string> = {},
  user: object = {},
  args: string[] = [],
) => {
  const child = spawn(process.execPath, [script, ...args], {
    env: {
      ...compileCache,
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin:/usr/sbin:/sbin`,
      CARDINAL_STATE: state,
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  onTestFinished(() => endAll(child, state));
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  /** Its exit code. @throws Error with what it printed where it does not end within two minutes */
  const ended = () =>
    firstOf(exit, 120_000, () => {
      throw new Error(`it does not end: ${out}${err}`);
    });
  return { child, ended, state, out: () => out, err: () => err };
};

export const processesOf = (state: string): Noted[] => {
  const file = join(state, 'run.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { processes: Noted[] }).processes : [];
};

export const oneOf = (state: string, words: string) => {
  const found = processesOf(state).find(({ pid, identity }) => identity.includes(words) && commandOf(pid));
  if (!found) throw new Error(`no process ${words}`);
  return found;
};

export const isUp = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  if (response.status !== 200) throw new Error(`not ready: ${response.status}`);
};

/** What the banner shows of the demo, once it is there, with a token for it. */
export const promised = async (stack: ReturnType<typeof run>) => {
  const url = await eventually(() => {
    const found = /^curl -s -H "Authorization: Bearer \$\(.+ npm run --silent token\)" (http\S+)$/m.exec(stack.out());
    if (!found) throw new Error(`no curl line yet: ${stack.out()}${stack.err()}`);
    return found[1] ?? '';
  });
  const { sign } = await ensureKeys(join(stack.state, 'keys'));
  return { token: await sign({ workspace: demoWorkspace, user: demoUser, scope: demoScope }), url };
};

export const look = async ({ token, url }: { token: string; url: string }) => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as { data: { card: { id: string }; is_alias: boolean } };
};
