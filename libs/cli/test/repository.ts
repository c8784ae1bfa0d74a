import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { scratchFolder } from '@cardinal/testkit';

/** A commit for `git fast-import`. */
export interface Commit {
  message: string | Buffer;
  /** As its header says it; UTF-8 where it says none. */
  encoding?: string;
}

/** Runs git somewhere, with no configuration but the repository's. */
export const runGit = async (
  directory: string,
  args: string[],
  { input = '', env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {},
) => {
  const who = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' };
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' };
  const bare = { PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1', HOME: directory };
  const child = spawn('git', args, { cwd: directory, env: { ...bare, ...who, ...committer, ...env } });
  // One that reads nothing may be gone by now.
  child.stdin.on('error', () => undefined).end(input);
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
};

const blob = (content: string | Buffer) => {
  const bytes = Buffer.from(content);
  return [Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')];
};

/** A repository with these commits, oldest first, and nothing in its files. */
export const makeRepository = async (commits: Commit[]): Promise<string> => {
  const directory = scratchFolder('repository');
  await runGit(directory, ['init', '-q', '-b', 'main']);
  const stream = commits.flatMap(({ message, encoding }, n) => [
    Buffer.from(`commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + n} +0000\n`),
    Buffer.from(encoding === undefined ? '' : `encoding ${encoding}\n`),
    ...blob(message),
  ]);
  const { code, stderr } = await runGit(directory, ['fast-import', '--quiet'], { input: Buffer.concat(stream) });
  if (code !== 0) throw new Error(stderr);
  return directory;
};
