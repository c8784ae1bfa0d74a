import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { somebody } from './npm-start.ts';

const run = promisify(execFile);

/** A checkout that has the script and a lock file of one package, and a program in npm's place. */
const checkout = (npm: string) => {
  const folder = scratchFolder('checkout');
  mkdirSync(join(folder, 'deploy/local'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(repository, 'deploy/local/install.mjs'), join(folder, 'deploy/local/install.mjs'));
  const packages = { '': {}, 'node_modules/one': { version: '1.0.0' }, 'node_modules/two': { version: '1.0.0' } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  return folder;
};
const install = (folder: string, user = {}) =>
  run(process.execPath, [join(folder, 'deploy/local/install.mjs')], {
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
    ...user,
  });

it('says how far it is while npm is silent, and nothing on stdout', async () => {
  const folder = checkout('mkdir -p node_modules/one; until [ -e told ]; do sleep 0.1; done');
  const installing = install(folder);
  installing.child.stderr?.on('data', (line: string) => {
    if (line.includes(' of ')) writeFileSync(join(folder, 'told'), '');
  });
  const { stdout, stderr } = await installing;
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^installing packages .*\n {2}1 of 2 packages, 1\d s\n$/);
});

it('says in one line that the checkout is not its own', async () => {
  const folder = checkout('exit 0');
  chmodSync(folder, 0o555);
  const refused = await install(folder, somebody).catch((error) => error as { code: number; stderr: string });
  expect(refused).toMatchObject({
    code: 1,
    stderr: `${join(folder, '.cardinal')} cannot be written (EACCES): the folder belongs to another user; clone Cardinal anew as yourself\n`,
  });
});
