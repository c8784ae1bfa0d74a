import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, startChild, waitFor } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import type { Program } from './clamd-program.ts';

/** The file that every scanner must find (eicar.org), in two halves so that none finds it here. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

const answers = (port: number) =>
  new Promise<true | undefined>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('zPING\0'));
    socket.once('data', () => resolve(true)).once('error', () => resolve(undefined));
    socket.once('data', () => socket.destroy());
  });

/** A real clamd, offline, with one signature: the EICAR string. */
export const prepareClamd = async ({ command, env }: Program) => {
  const dir = scratchFolder('clamd');
  const database = join(dir, 'database');
  await mkdir(database);
  await writeFile(join(database, 'eicar.ndb'), `Eicar-Test:0:*:${Buffer.from(eicar).toString('hex')}\n`);
  const port = await freePort();
  const config = join(dir, 'clamd.conf');
  const settings = [`TCPSocket ${port}`, 'TCPAddr 127.0.0.1', `DatabaseDirectory ${database}`, 'Foreground yes'];
  await writeFile(config, `${[...settings, `TemporaryDirectory ${dir}`, 'StreamMaxLength 30M'].join('\n')}\n`);
  await chmod(dir, 0o755);

  const start = async () => {
    const child = await startChild({
      command,
      args: ['--config-file', config],
      cwd: dir,
      env,
      logFile: join(dir, 'clamd.log'),
    });
    if (!(await waitFor(() => answers(port), { timeoutMs: 30_000, child }))) throw new Error('clamd did not start');
    return child;
  };
  return { url: `tcp://127.0.0.1:${port}`, start };
};
