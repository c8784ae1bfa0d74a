import { createClient } from '@cardinal/client/source';
import { apiPrefix, declaredOperations } from '@cardinal/contracts';
import { type SharedStack, sharedStack } from '@cardinal/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isId, type Kind, kindOf } from '../../src/names/kinds.ts';
import { places } from '../../src/operations/ask.ts';
import { exampleArgs, sampleOf } from '../../src/operations/example.ts';
import { runHere } from '../run-cli.ts';
import { startRecorder } from './recorder.ts';
import { makeUnnamed, makeWorkspace, type Workspace } from './workspace.ts';

let stack: SharedStack;
let recorder: Awaited<ReturnType<typeof startRecorder>>;

beforeAll(async () => {
  stack = await sharedStack();
  recorder = await startRecorder(stack.origin);
});
afterAll(() => recorder.stop());

/** Methods of the client that are no operation, or one that is followed. */
const others = ['events.follow', 'files.upload', 'files.download', 'files.waitUntilClean'];

it('has a command for every declared operation, under the name that it has in the client', () => {
  const client = createClient({ baseUrl: stack.origin, token: 'none' });
  const ofClient = Object.entries(client).flatMap(([group, methods]) =>
    Object.keys(methods).map((method) => `${group}.${method}`),
  );
  const named = places.map(({ group, method }) => `${group}.${method}`);
  expect(named.sort()).toEqual(ofClient.filter((name) => !others.includes(name)).sort());
  const followed = declaredOperations.filter(({ http }) => http.reply.kind === 'stream');
  expect(followed.map(({ http }) => http.id)).toEqual(['streamEvents']);
  expect(named).toHaveLength(declaredOperations.length - followed.length);
});

/** What the workspace of the test refuses, and why. */
const refusedHere: Record<string, string> = {
  createWorkstream: 'PAY is taken',
};

const spaced = (text: string) => text.replace(/\s+/g, ' ');

let shared: Promise<Workspace> | undefined;
const sharedWorkspace = () => {
  shared ??= makeWorkspace(stack);
  return shared;
};

/** An example with the ids of what the command names in its place. */
const withIds = (example: unknown, ids: Record<Kind, string>): unknown =>
  JSON.parse(JSON.stringify(example), (field, value) => {
    const kind = kindOf(field);
    if (kind === undefined) return value;
    const named = (one: unknown) => (typeof one === 'string' && isId(one) ? ids[kind] : one);
    return Array.isArray(value) ? value.map(named) : named(value);
  });

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe.each(places.map((place) => [`${place.group} ${kebab(place.method)}`, place] as const))(
  '%s',
  (path, { operation }) => {
    it('says in its help what its declaration says', async () => {
      const { code, stdout } = await runHere([...path.split(' '), '--help'], { url: stack.origin, token: 'none' });
      expect(code).toBe(0);
      expect(spaced(stdout)).toContain(operation.summary);
      if (operation.description) expect(spaced(stdout)).toContain(operation.description);
      expect(spaced(stdout)).toContain(`Needs ${operation.scope}.`);
      expect(stdout).toContain(`Example:\n  cardinal ${path}`);
    });

    it('sends what its example says, with ids in the place of names', async () => {
      const isAdopting = ['adoptCards', 'openWorkstream'].includes(operation.id);
      const takesNames = /^(patch|archive|delete)(Board|Column|Label|Workstream|Card)$|^createLabel$/.test(
        operation.id,
      );
      const workspace = await (isAdopting || takesNames ? makeWorkspace(stack, isAdopting) : sharedWorkspace());
      const { access, board, column, label, web, pay, me } = workspace;
      const unnamed = await makeUnnamed(workspace, operation.path);
      const ids = {
        board: board.id,
        column: column.id,
        label: label.id,
        workstream: web.id,
        card: pay.card.id,
        user: me.user_id,
      };
      const sample = (told: Parameters<typeof sampleOf>[0]) => unnamed[told.field] ?? sampleOf(told);
      recorder.requests.length = 0;
      const ended = await runHere([...path.split(' '), ...exampleArgs(operation, sample), '--json'], {
        ...access,
        url: recorder.url,
      });
      expect([ended.code, ended.stderr]).toEqual([refusedHere[operation.id] ? 1 : 0, expect.anything()]);

      const inPath = (name: string) => {
        if (name === 'depends_on_card_id') return 'OPS-3';
        const kind = kindOf(name);
        return kind === 'card' || name === 'identifier' ? 'PAY-7' : kind ? ids[kind] : unnamed[name];
      };
      const asked = apiPrefix + operation.path.replace(/:(\w+)/g, (_, name: string) => inPath(name) ?? '?');
      const sent = recorder.requests.findLast(
        (one) => one.method === operation.method && one.path.split('?')[0] === asked,
      );
      expect(sent?.path, `${operation.method} ${asked}`).toBeDefined();
      const body = operation.example === undefined ? undefined : withIds(operation.example, ids);
      expect(sent?.body).toEqual(body ?? (operation.body ? {} : undefined));
      if (operation.body) expect(operation.body.safeParse(sent?.body).error).toBeUndefined();
      expect('if-match' in (sent?.headers ?? {})).toBe(operation.requires.includes('If-Match'));
      expect('idempotency-key' in (sent?.headers ?? {})).toBe(operation.requires.includes('Idempotency-Key'));
    });
  },
);
