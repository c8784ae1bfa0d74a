import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';

const execute = promisify(execFile);
const slowMachine = 300_000;
const root = join(import.meta.dirname, '../../..');
const document = join(import.meta.dirname, '../openapi.json');

/** A program of a package of this workspace, by the name of its command. */
const command = async (name: string, bin: string) => {
  const manifest = fileURLToPath(import.meta.resolve(`${name}/package.json`));
  const { bin: bins } = JSON.parse(await readFile(manifest, 'utf8'));
  return join(manifest, '..', typeof bins === 'string' ? bins : bins[bin]);
};

/** The README's tour, written with the types of `openapi-typescript`. */
const withOpenapiFetch = `import createClient from 'openapi-fetch';
import type { paths } from './generated/schema';

export const tour = async (baseUrl: string, token: string) => {
  const api = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
  const keyed = (key: string) => ({ 'Idempotency-Key': key });
  await api.POST('/boards', { params: { header: keyed('board') }, body: { name: 'Tour' } });
  const boards = await api.GET('/boards', {});
  const board_id = boards.data?.data[0]?.id ?? '';
  await api.POST('/boards/{board_id}/columns', { params: { path: { board_id }, header: keyed('column') }, body: { name: 'To do' } });
  const columns = await api.GET('/boards/{board_id}/columns', { params: { path: { board_id }, query: { limit: 1 } } });
  const column_id = columns.data?.data[0]?.id ?? '';
  const made = await api.POST('/columns/{column_id}/cards', { params: { path: { column_id }, header: keyed('tour-1') }, body: { title: 'Refunds fail on Sundays' } });
  const identifier = made.data?.data.identifier ?? '';
  const found = await api.GET('/cards/by-identifier/{identifier}', { params: { path: { identifier } } });
  const card_id = found.data?.data.card.id ?? '';
  const pay = await api.POST('/workstreams', { params: { header: keyed('tour-2') }, body: { name: 'Payments', prefix: 'PAY' } });
  const workstream_id = pay.data?.data.id ?? '';
  const transfer = (version: number) => api.POST('/cards/{card_id}/workstream', {
    params: { path: { card_id }, header: { ...keyed(version === 1 ? 'tour-3' : 'tour-4'), 'If-Match': \`"\${version}"\` } },
    body: { workstream_id },
  });
  const transferred = [await transfer(1), await transfer(1)].map(({ data }) => data?.data.identifier);
  const stale = await transfer(7);
  const alias = await api.GET('/cards/by-identifier/{identifier}', { params: { path: { identifier: identifier.toLowerCase() } } });
  const history = await api.GET('/cards/{card_id}/identifiers', { params: { path: { card_id } } });
  return {
    identifier,
    transferred,
    refused: stale.error?.error.code,
    isAlias: alias.data?.data.is_alias,
    current: alias.data?.data.current_identifier,
    history: history.data?.data.map((entry) => entry.identifier),
  };
};
`;

/** The same with the functions that `@hey-api/openapi-ts` makes. */
const withHeyApi = `import * as api from './generated';
import { client } from './generated/client.gen';

export const tour = async (baseUrl: string, token: string) => {
  client.setConfig({ baseUrl, auth: token });
  const keyed = (key: string) => ({ 'Idempotency-Key': key });
  await api.createBoard({ headers: keyed('board'), body: { name: 'Tour' } });
  const boards = await api.listBoards();
  const board_id = boards.data?.data[0]?.id ?? '';
  await api.createColumn({ path: { board_id }, headers: keyed('column'), body: { name: 'To do' } });
  const columns = await api.listColumns({ path: { board_id }, query: { limit: 1 } });
  const column_id = columns.data?.data[0]?.id ?? '';
  const made = await api.createCard({ path: { column_id }, headers: keyed('tour-1'), body: { title: 'Refunds fail on Sundays' } });
  const identifier = made.data?.data.identifier ?? '';
  const found = await api.getCardByIdentifier({ path: { identifier } });
  const card_id = found.data?.data.card.id ?? '';
  const pay = await api.createWorkstream({ headers: keyed('tour-2'), body: { name: 'Payments', prefix: 'PAY' } });
  const workstream_id = pay.data?.data.id ?? '';
  const transfer = (version: number) => api.transferCard({
    path: { card_id },
    headers: { ...keyed(version === 1 ? 'tour-3' : 'tour-4'), 'If-Match': \`"\${version}"\` },
    body: { workstream_id },
  });
  const transferred = [await transfer(1), await transfer(1)].map(({ data }) => data?.data.identifier);
  const stale = await transfer(7);
  const alias = await api.getCardByIdentifier({ path: { identifier: identifier.toLowerCase() } });
  const history = await api.listIdentifiers({ path: { card_id } });
  return {
    identifier,
    transferred,
    refused: stale.error?.error.code,
    isAlias: alias.data?.data.is_alias,
    current: alias.data?.data.current_identifier,
    history: history.data?.data.map((entry) => entry.identifier),
  };
};
`;

const generators = [
  {
    name: 'openapi-typescript',
    bin: 'openapi-typescript',
    args: [document, '-o', 'fetch/generated/schema.d.ts'],
    folder: 'fetch',
    program: withOpenapiFetch,
  },
  {
    name: '@hey-api/openapi-ts',
    bin: 'openapi-ts',
    args: ['-i', document, '-o', 'hey/generated'],
    folder: 'hey',
    program: withHeyApi,
  },
];

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  rootDir: '.',
  module: 'ESNext',
  moduleResolution: 'bundler',
};

let stack: SharedStack;
let project: string;
beforeAll(async () => {
  stack = await sharedStack();
  project = scratchFolder('generated');
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  for (const { name, bin, args, folder, program } of generators) {
    expect(await node([await command(name, bin), ...args])).not.toContain('failed');
    await writeFile(join(project, folder, 'tour.ts'), program);
  }
  const files = generators.map(({ folder }) => `${folder}/tour.ts`);
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}, slowMachine);

/** Runs a Node program in the project; its output, also where it fails. */
const node = (args: string[]) =>
  execute(process.execPath, args, { cwd: project }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `failed: ${stdout}${stderr}`,
  );

describe('the clients that generators make of the document', () => {
  it(
    'have strict types for TypeScript 5',
    async () => {
      const compiler = await command('typescript', 'tsc');
      // The other compiler checks library types, once for both.
      expect(await node([compiler, '-p', '.', '--noEmit', '--skipLibCheck'])).toBe('');
    },
    slowMachine,
  );

  it(
    'have strict types for TypeScript 7, and take the README’s tour',
    async () => {
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      expect(await node([compiler, '-p', '.', '--outDir', 'out', '--module', 'CommonJS'])).toBe('');
      for (const { folder } of generators) {
        const tour = `require('./out/${folder}/tour.js').tour(...process.argv.slice(1))`;
        const start = `${tour}.then((seen) => console.log(JSON.stringify(seen)))`;
        const seen = await node(['-e', start, stack.baseUrl, await stack.token()]);
        expect(JSON.parse(seen)).toEqual({
          identifier: 'MAIN-1',
          transferred: ['PAY-1', 'PAY-1'],
          refused: 'precondition_failed',
          isAlias: true,
          current: 'PAY-1',
          history: ['MAIN-1', 'PAY-1'],
        });
      }
    },
    slowMachine,
  );
});
