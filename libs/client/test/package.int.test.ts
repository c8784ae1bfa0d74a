import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, installedNodes, openPage, scratchFolder, startWorld, type World } from '@cardinal/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const execute = promisify(execFile);
const library = join(import.meta.dirname, '..');
const root = join(library, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** The compiler of before, whose \`dom\` knows less of streams. */
const tsc5 = join(root, 'services/gateway/node_modules/typescript/bin/tsc');
const slowMachine = 300_000;

const expected = {
  fields: 'fields name',
  titles: ['c', 'b'],
  stale: 'stale, now 2',
  cycle: expect.stringMatching(/^cycle [23]$/),
  text: 'hello',
  cover: null,
  gone: 'not_found',
  followed: ['card.created', 'card.created', 'card.created', 'card.updated', 'card.deleted'],
  operations: expect.arrayContaining([
    'createBoard',
    'listCards',
    'patchCard',
    'putDependency',
    'sendBytes',
    'getFileContent',
  ]),
  requestIds: expect.arrayContaining(['program']),
};

/** Serves the project as a page whose program reports what it came to. */
const servePage = async (root: string) => {
  const reports = Promise.withResolvers<unknown>();
  const state = { baseUrl: '', token: '' };
  const page =
    () => `<!doctype html><script type="importmap">{"imports":{"@cardinal/client":"/node_modules/@cardinal/client/dist/index.js","eventsource-parser":"/node_modules/eventsource-parser/dist/index.js"}}</script>
<script type="module">
import { run } from '/out/program.js';
const report = (body) => fetch('/report', { method: 'POST', body: JSON.stringify(body) });
run('${state.baseUrl}', '${state.token}').then(report, (error) => report({ failed: String(error.stack) }));
</script>`;
  const server = createServer(async (request, response) => {
    if (request.url === '/report') {
      let body = '';
      for await (const chunk of request) body += chunk;
      reports.resolve(JSON.parse(body));
      return response.end();
    }
    const isPage = request.url === '/';
    response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
    const script = isPage ? '' : await readFile(join(root, request.url ?? '')).catch(() => '');
    return response.end(isPage ? page() : script);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, state, report: reports.promise, close: () => server.close() };
};

const nodes = await installedNodes();

describe('the package', () => {
  let project: string;
  let packed: string[];
  let world: World;
  let page: Awaited<ReturnType<typeof servePage>>;
  let compiledForNode: string;

  beforeAll(async () => {
    project = scratchFolder('installed');
    await execute('npm', ['pack', '--pack-destination', project], { cwd: library });
    await writeFile(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
    // What it needs is here, and there may be no registry.
    const parser = join(library, '../../node_modules/eventsource-parser');
    await execute('npm', ['install', `./${tarball}`, parser, '--offline', '--no-audit', '--no-fund'], { cwd: project });
    const { stdout } = await execute('tar', ['tzf', tarball], { cwd: project });
    packed = stdout.trim().split('\n');
    await mkdir(join(project, 'src'));
    const program = await readFile(join(import.meta.dirname, 'program.ts'), 'utf8');
    await writeFile(join(project, 'src/program.ts'), program.replace('../src/index.ts', '@cardinal/client'));
    compiledForNode = await compile('NodeNext', 'nodenext', { outDir: 'out' });
    page = await servePage(project);
    const origins = { gateway: { CORS_ORIGINS: page.origin } };
    world = await startWorld({ env: origins });
    page.state.baseUrl = world.baseUrl;
    page.state.token = await world.token({ scope: 'kanban:admin' });
  }, slowMachine);
  afterAll(async () => {
    page?.close();
    await world?.stop();
  });

  const compile = async (
    module: string,
    moduleResolution: string,
    more: object = {},
    folder = project,
    compiler = tsc,
  ) => {
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: [],
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      rootDir: 'src',
      ...more,
    };
    const file = join(folder, `tsconfig.${moduleResolution}.json`);
    await writeFile(file, JSON.stringify({ compilerOptions, include: ['src'] }));
    return execute(process.execPath, [compiler, '-p', file], { cwd: folder }).then(
      () => '',
      ({ stdout }) => String(stdout),
    );
  };

  it('holds what is built, and needs the parser of streams alone', async () => {
    const manifest = JSON.parse(await readFile(join(project, 'node_modules/@cardinal/client/package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies)).toEqual(['eventsource-parser']);
    expect(
      packed.filter((name) => !/^package\/(dist\/.*\.(js|d\.ts)|(dist\/cjs\/)?package\.json|README\.md)$/.test(name)),
    ).toEqual([]);
    expect(packed).toContain('package/dist/index.d.ts');
    expect(manifest.private).toBeUndefined();
  });

  it(
    'has strict types for bundlers',
    async () => {
      expect(await compile('ESNext', 'bundler', { noEmit: true })).toBe('');
    },
    slowMachine,
  );

  it(
    'has strict types for CommonJS, and runs there',
    async () => {
      const common = join(project, 'common');
      await mkdir(join(common, 'src'), { recursive: true });
      const program = await readFile(join(project, 'src/program.ts'), 'utf8');
      await writeFile(join(common, 'package.json'), '{"name":"common","private":true,"type":"commonjs"}');
      await writeFile(join(common, 'src/program.ts'), program);
      expect(await compile('Node16', 'node16', { outDir: 'out', types: [] }, common)).toBe('');
      const start =
        "require('./out/program.js').run(...process.argv.slice(1)).then((came) => console.log(JSON.stringify(came)));";
      const args = ['-e', start, world.baseUrl, await world.token({ scope: 'kanban:admin' })];
      const { stdout } = await execute(process.execPath, args, { cwd: common });
      expect(JSON.parse(stdout)).toEqual(expected);
    },
    slowMachine,
  );

  it.each([
    ['TypeScript 7', tsc, ['ES2023', 'DOM']],
    ['TypeScript 7 without a browser', tsc, ['ES2023']],
    ['TypeScript 5', tsc5, ['ES2023', 'DOM']],
    ['TypeScript 5 without a browser', tsc5, ['ES2023']],
  ])(
    'has a README that compiles with %s',
    async (name, compiler, lib) => {
      const readme = await readFile(join(library, 'README.md'), 'utf8');
      const lines = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
      expect(lines.length).toBeGreaterThan(30);
      const isImport = (line: string) => line.startsWith('import ');
      const program = [
        ...lines.filter(isImport),
        'declare const stored: () => Promise<number>, signal: AbortSignal;',
        ...lines.filter((line) => !isImport(line)),
      ];
      const folder = join(project, name.replaceAll(' ', '-'));
      await mkdir(join(folder, 'src'), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(join(folder, 'src/readme.ts'), program.join('\n'));
      const ofNode = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
      expect(await compile('NodeNext', 'nodenext', { lib, ...ofNode, noEmit: true }, folder, compiler)).toBe('');
    },
    slowMachine,
  );

  it('has strict types for Node', () => {
    expect(compiledForNode).toBe('');
  });

  for (const major of [20, 22, 24]) {
    describe.skipIf(!nodes.has(major))(`on Node ${major} (skipped where none is on the PATH)`, () => {
      it(
        'does what it should',
        async () => {
          const start =
            "const { run } = await import('./out/program.js'); console.log(JSON.stringify(await run(...process.argv.slice(1))));";
          const args = [
            '--input-type=module',
            '-e',
            start,
            world.baseUrl,
            await world.token({ scope: 'kanban:admin' }),
          ];
          const { stdout } = await execute(nodes.get(major) ?? '', args, { cwd: project });
          expect(JSON.parse(stdout)).toEqual(expected);
        },
        slowMachine,
      );
    });
  }

  describe.skipIf(!chromium)('in a page of another origin (skipped where there is no Chromium)', () => {
    it(
      'does what it should',
      async () => {
        const opened = await openPage(page.origin);
        onTestFinished(() => opened.close());
        expect(await page.report).toEqual(expected);
      },
      slowMachine,
    );
  });
});
