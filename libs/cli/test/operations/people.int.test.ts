import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { atTerminal, runHere } from '../run-cli.ts';
import { makeWorkspace } from './workspace.ts';

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
beforeAll(async () => {
  workspace = await makeWorkspace(await sharedStack());
});

const cardinal = (...args: string[]) => runHere(args, workspace.access);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await cardinal(...args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
/** What somebody at a terminal reads. */
const reading = async (...args: string[]): Promise<string> => {
  const { code, stdout } = await atTerminal(process.stdout, () => cardinal(...args));
  expect(code).toBe(0);
  return stdout;
};

it('adds, shows, edits and erases people, and takes an address or a name that one alone has for their ids', async () => {
  const maria = await json('people', 'add', '--name', 'Maria Silva', '--email', 'maria@example.com');
  await json('people', 'add', '--name', 'Twin', '--email', 'one@example.com');
  await json('people', 'add', '--name', 'Twin');
  expect(await json('people', 'show', 'MARIA@example.com')).toEqual(maria);
  expect((await json('people', 'edit', 'maria silva', '--name', 'Maria Santos')).user_id).toBe(maria.user_id);

  const card = await json('cards', 'add-assignee', 'PAY-7', 'Maria Santos');
  expect(card.assignee_user_ids).toEqual([maria.user_id]);
  await json('boards', 'add-member', 'Launch', 'maria@example.com');
  const found = await json('cards', 'list', '--assignee', 'maria santos');
  expect(found.id).toBe(card.id);
  const key = await cardinal('keys', 'create', '--name', 'ci', '--scope', 'kanban:read', '--user', 'maria@example.com');
  expect(JSON.parse(key.stdout).user_id).toBe(maria.user_id);

  for (const shown of [
    await reading('show', 'PAY-7'),
    await reading('cards', 'get', 'PAY-7'),
    await reading('boards', 'list-members', 'Launch'),
    await reading('people', 'list'),
  ])
    expect(shown).toContain('Maria Santos');
  expect((await cardinal('show', 'PAY-7')).stdout).not.toContain('Maria Santos');

  const twins = await cardinal('people', 'show', 'twin');
  expect(twins.code).toBe(2);
  expect(twins.stderr).toMatch(
    /^error: 2 people are called "twin"; say the e-mail address, or the id:\n.*one@example.com/s,
  );
  const nobody = await cardinal('cards', 'add-assignee', 'PAY-7', 'Maria Slva');
  expect(nobody.stderr).toMatch(/^error: nobody is known by "Maria Slva"; is it one of these\?\n.*"Maria Santos"/s);

  await cardinal('people', 'erase', 'maria@example.com');
  expect(await reading('show', 'PAY-7')).toMatch(/assigned to +somebody/);
});

it('takes an id that nobody is known by as member or assignee with --yes alone', async () => {
  const id = randomUUID();
  for (const args of [
    ['cards', 'add-assignee', 'PAY-7', id],
    ['boards', 'add-member', 'Launch', id],
    ['cards', 'create', '--board', 'Launch', 'Order the cake', '--assignee', id],
  ]) {
    const refused = await cardinal(...args);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `error: nobody is known by ${id}; say --yes to take that all the same\n`,
    ]);
    expect((await cardinal(...args, '--yes')).code).toBe(0);
  }
  await json('cards', 'add-assignee', 'PAY-7', 'me');
  expect((await cardinal('cards', 'remove-assignee', 'PAY-7', randomUUID())).code).toBe(0);
});
