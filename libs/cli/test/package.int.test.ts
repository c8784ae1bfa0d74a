import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@cardinal/client/source';
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
        const client = createClient({ baseUrl: access.url, token: access.token });
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
        expect(moved.stdout).toContain('1 card made, 0 already there, 0 refused');
        await writeFile(join(project, 'text.md'), 'As in OLD-3.');
        const found = await cardinal('refs', 'text.md');
        expect(JSON.parse(found.stdout)).toMatchObject({ requested: 'OLD-3', current_identifier: 'WEB-7' });
        const assistant = new Client({ name: 'test', version: '1.0.0' });
        await assistant.connect(
          new StdioClientTransport({
            command: nodes.get(major) ?? '',
            args: [join(project, 'node_modules/.bin/cardinal'), 'mcp'],
            env: environmentOf(access),
          }),
        );
        const { content } = await assistant.callTool({ name: 'read_card', arguments: { card: 'OLD-3' } });
        expect(JSON.parse((content as { text: string }[])[0]?.text ?? '').data.identifier).toBe('WEB-7');
        await assistant.close();

        // Logged in, nothing is in the environment.
        const config = scratchFolder('config');
        const env = { PATH: '/usr/bin:/bin', XDG_CONFIG_HOME: config };
        const program = [join(project, 'node_modules/.bin/cardinal')];
        const node = nodes.get(major) ?? '';
        const login = spawn(node, [...program, 'login', '--url', access.url], { env });
        login.stdin.end(access.token);
        expect(await once(login, 'close')).toEqual([0, null]);
        const said = async (...args: string[]) => (await execute(node, [...program, ...args], { env })).stdout;
        expect(JSON.parse(await said('profiles'))).toMatchObject({ name: 'default', url: access.url });
        const { id } = await client.boards.create({ name: 'Tour' });
        await client.columns.create(id, { name: 'To do' });
        await client.workstreams.create({ name: 'Payments', prefix: 'PAY' });
        const card = JSON.parse(
          await said('cards', 'create', '--board', 'Tour', '--column', 'To do', 'Refund on Sundays'),
        );
        expect(JSON.parse(await said('transfer', card.identifier, 'PAY'))).toMatchObject({ identifier: 'PAY-1' });
        expect(JSON.parse(await said('show', card.identifier))).toMatchObject({ card: { identifier: 'PAY-1' } });
        const followed = spawn(node, [...program, 'events', '--follow', '--after', '0', '--card', 'PAY-1'], { env });
        const [first] = await once(followed.stdout, 'data');
        expect(JSON.parse(String(first).split('\n', 1)[0] ?? '')).toMatchObject({ type: 'card.created' });
        followed.kill('SIGINT');
        expect(await once(followed, 'close')).toEqual([130, null]);
        expect(await said('completion', 'bash')).toContain('complete -F _cardinal cardinal');
        // What a login by an issuer loads is in the package: nobody answers there.
        const device = execute(node, [...program, 'login', '--issuer', 'http://127.0.0.1:2', '--client-id', 'x'], {
          env,
        });
        await expect(device).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is no issuer') });
        const exported = await cardinal('export', `exported-${major}`);
        expect(exported.stdout).toContain('2 cards, 4 workstreams');
      },
    );
  }
});
