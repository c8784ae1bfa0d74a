import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '@cardinal/servers';
import { expect, it } from 'vitest';

interface Wall {
  name: string;
  from: { path?: string | string[] };
}

const { href } = pathToFileURL(join(repository, '.dependency-cruiser.mjs'));
const walls: Wall[] = (await import(href)).default.forbidden;
const files = execFileSync('git', ['ls-files', 'libs', 'services', 'deploy'], {
  cwd: repository,
  encoding: 'utf8',
}).split('\n');

it.each(walls)('the wall $name stands before something, with each of its paths', ({ from }) => {
  const idle = [from.path ?? []].flat().filter((path) => !files.some((file) => new RegExp(path).test(file)));
  expect(idle).toEqual([]);
});
