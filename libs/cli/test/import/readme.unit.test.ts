import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const text = (path: string) => readFile(new URL(path, root), 'utf8');

it('the example of the README is there, with as many rows as it says', async () => {
  const readme = await text('libs/cli/src/import/README.md');
  const [, file = '', rows] = /import -- (\S+) --title[^$]*?"\$@"; }\n\$ move\n(\d+) rows:/.exec(readme) ?? [];
  expect((await text(file)).trimEnd().split('\n')).toHaveLength(Number(rows) + 1);
});
