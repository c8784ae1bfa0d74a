import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Every Node on this machine, by its major version. */
export const installedNodes = async (): Promise<Map<number, string>> => {
  const { stdout } = await execute('sh', ['-c', 'which -a node']).catch(() => ({ stdout: '' }));
  const nodes = new Map<number, string>();
  for (const path of [process.execPath, ...stdout.split('\n').filter(Boolean)]) {
    const version = await execute(path, ['--version']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    const major = Number(/^v(\d+)/.exec(version)?.[1]);
    if (!nodes.has(major)) nodes.set(major, path);
  }
  return nodes;
};
