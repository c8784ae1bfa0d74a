import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { hostEnvironment } from './config.ts';

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** What it reads. */
  input?: Buffer;
  /** Its output is shown as it comes, instead of being returned. */
  shown?: boolean;
}

/**
 * Runs a program to its end.
 * @returns what it printed
 * @throws Error with what it printed and complained of, where it fails
 */
export const run = async (command: string, args: string[], options: RunOptions = {}): Promise<Buffer> => {
  const { cwd, env = {}, input, shown = false } = options;
  const child = spawn(command, args, {
    ...(cwd ? { cwd } : {}),
    env: { ...hostEnvironment(), ...env },
    stdio: ['pipe', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'],
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const read = (stream: typeof child.stdout) => (stream ? buffer(stream) : Buffer.alloc(0));
  const [code, out, complaint] = await Promise.all([ended, read(child.stdout), read(child.stderr)]);
  if (code !== 0) {
    const said = [out, complaint].map((one) => String(one).slice(-4_000).trim()).join('\n');
    throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said}`);
  }
  return out;
};

/** Runs docker and returns what it printed, without the last line's end. */
export const docker = async (...args: string[]) => String(await run('docker', args)).trimEnd();

/** What is wrong with the engine; undefined where one answers that has Compose. */
export const engineProblem = async (): Promise<string | undefined> => {
  try {
    await docker('version', '--format', '{{.Server.Version}}');
    await docker('compose', 'version');
    return undefined;
  } catch (error) {
    return String(error).trim().replaceAll('\n', ' ');
  }
};
