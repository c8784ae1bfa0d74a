import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installedNodes, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { environmentOf } from './run-cli.ts';

const execute = promisify(execFile);
const library = join(import.meta.dirname, '..');
const nodes = await installedNodes();

describe('the package', () => {
  let stack: SharedStack;
  let project: string;

  beforeAll(async () => {
    stack = await sharedStack();
    project = scratchFolder('installed');
    await execute('npm', ['pack', '--pack-destination', project], { cwd: library });
    await writeFile(join(project, 'package.json'), '{"name":"empty","private":true}');
    const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
    await execute('npm', ['install', `./${tarball}`, '--offline', '--no-audit', '--no-fund'], { cwd: project });
  });

  it('needs no other package, and names the licences of what it holds', async () => {
    const packages = await readdir(join(project, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['@cardinal']);
    const licenses = await readFile(join(project, 'node_modules/@cardinal/cli/dist/LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^commander [\d.]+: MIT\n\n\(The MIT License\)/m);
    expect(licenses).toMatch(/^zod [\d.]+: MIT$/m);
  });

  for (const major of [20, 22, 24]) {
    it.skipIf(!nodes.has(major))(
      `moves cards in, resolves references and serves assistants on Node ${major} (skipped where none is on the PATH)`,
      async () => {
        const access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
        const cardinal = (...args: string[]) =>
          execute(nodes.get(major) ?? '', [join(project, 'node_modules/.bin/cardinal'), ...args], {
            cwd: project,
            env: environmentOf(access),
          });
        const file = `rows-${major}.csv`;
        await writeFile(join(project, file), 'key,former,title\nWEB-7,OLD-3,Refund twice\n');
        const moved = await cardinal(
          'import',
          file,
          '--title',
          'title',
          '--map',
          'key=key',
          '--map',
          'former=former',
          '--apply',
        );
        expect(moved.stdout).toContain('1 cards made, 0 already there, 0 refused');
        await writeFile(join(project, 'text.md'), 'As in OLD-3.');
        const found = await cardinal('refs', 'text.md');
        expect(JSON.parse(found.stdout)).toMatchObject({ requested: 'OLD-3', current_identifier: 'WEB-7' });
        const client = new Client({ name: 'test', version: '1.0.0' });
        await client.connect(
          new StdioClientTransport({
            command: nodes.get(major) ?? '',
            args: [join(project, 'node_modules/.bin/cardinal'), 'mcp'],
            env: environmentOf(access),
          }),
        );
        const { structuredContent } = await client.callTool({ name: 'read_card', arguments: { card: 'OLD-3' } });
        expect(structuredContent).toMatchObject({ data: { identifier: 'WEB-7' } });
        await client.close();
        const exported = await cardinal('export', `exported-${major}`);
        expect(exported.stdout).toContain('1 cards, 3 workstreams');
      },
    );
  }
});
