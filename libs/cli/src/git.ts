import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { CliError } from './errors.ts';

/**
 * What a git command writes, as it comes.
 * @throws CliError with git's own words where it fails
 */
export async function* gitOutput(args: string[], directory?: string): AsyncGenerator<Uint8Array> {
  const child = spawn('git', args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  // Awaited below, and later than it may fail.
  ended.catch(() => undefined);
  const complaint = text(child.stderr);
  try {
    yield* child.stdout;
    const code = await ended.catch((error: NodeJS.ErrnoException) => {
      throw new CliError(error.code === 'ENOENT' ? 'git is not there; it must be on the PATH' : error.message);
    });
    if (code === 0) return;
    const [first = ''] = (await complaint).split('\n');
    throw new CliError(first === '' ? `git ended with ${code}` : `git: ${first.replace(/^(fatal|error): /, '')}`);
  } finally {
    child.kill();
  }
}

/** The same as one text, without the line's end. */
export const git = async (args: string[], directory?: string): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of gitOutput(args, directory)) chunks.push(chunk);
  return Buffer.concat(chunks).toString().replace(/\n$/, '');
};
