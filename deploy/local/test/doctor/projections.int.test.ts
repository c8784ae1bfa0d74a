import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { eventually, scratchFolder, type TestDatabase, testDatabase } from '@cardinal/testkit';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checks } from '../src/doctor/checks/index.ts';
import { examine } from '../src/doctor/examine.ts';
import { mendAll } from '../src/doctor/mend.ts';
import { openSources } from '../src/doctor/sources.ts';
import { repository, runStatements } from '../src/index.ts';
import { databaseOwners } from '../src/services/provision.ts';

let template: TestDatabase;
let database: TestDatabase;

const script = join(repository, 'deploy/local/src/doctor.ts');

/** Runs the command as a person would, on the database of the test. */
const doctor = (
  args: string[] = ['--patience', '0'],
  env: Record<string, string> = { DATABASE_URL: database.adminUrl },
) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
/** Looks once, in this process. */
const look = async () => {
  const sources = openSources(databaseOwners, () => database.adminUrl);
  onTestFinished(() => sources.close());
  const findings = await examine(checks, sources, 0);
  return { findings, told: findings.flatMap(({ differences }) => differences.map(({ what }) => what)).join('\n') };
};
const run = (...statements: string[]) => runStatements(database.adminUrl, statements);

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const [workspace, web, app, board, column] = [1, 2, 3, 4, 5].map(id) as [string, string, string, string, string];
const card = (n: number) => id(100 + n);

const aWorkstream = (workstream: string, prefix: string, last: number) => [
  `insert into identifier.workstreams
     (workspace_id, id, version, name, prefix, is_default, last_number, created_at, updated_at)
   values ('${workspace}', '${workstream}', 3, 'Name of ${prefix}', '${prefix}', false, ${last}, now(), now())`,
  `insert into card.workstreams (workspace_id, id, version, name, prefix)
   values ('${workspace}', '${workstream}', 3, 'Name of ${prefix}', '${prefix}')`,
];

const aNumber = (workstream: string, prefix: string, number: number, cardId: string, version = 1) =>
  `insert into identifier.identifiers (workspace_id, prefix, number, workstream_id, card_id, operation_id, state,
     assigned_by, card_version, assigned_at, created_at)
   values ('${workspace}', '${prefix}', ${number}, '${workstream}', '${cardId}', gen_random_uuid(), 'issued',
     '${id(9)}', ${version}, now(), now())`;

const aCard = (n: number, workstream: string, identifier: string) =>
  `insert into card.cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at,
     updated_at, workstream_id, identifier)
   values ('${workspace}', '${card(n)}', 1, '${board}', '${column}', ${n}, 'Card ${n}', '${id(9)}', now(), now(),
     '${workstream}', '${identifier}')`;

const anEdge = (from: number, on: number, version: number) =>
  `insert into dependency.edges (workspace_id, card_id, depends_on_card_id, version, created_at)
   values ('${workspace}', '${card(from)}', '${card(on)}', ${version}, now())`;
const aDependency = (from: number, on: number, version: number, present: boolean) =>
  `insert into card.card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
   values ('${workspace}', '${card(from)}', '${card(on)}', ${version}, ${present})`;

/** Three cards, the first waits for the second; the third was transferred from WEB-3 to APP-1. */
const healthy = [
  ...aWorkstream(web, 'WEB', 3),
  ...aWorkstream(app, 'APP', 1),
  `insert into card.boards (workspace_id, id, version, name, visibility, default_workstream_id, created_by, created_at, updated_at)
   values ('${workspace}', '${board}', 1, 'Board', 'workspace', '${web}', '${id(9)}', now(), now())`,
  `insert into card.columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
   values ('${workspace}', '${column}', 1, '${board}', 'To do', 1, now(), now())`,
  ...[1, 2, 3].map((n) => aNumber(web, 'WEB', n, card(n))),
  aNumber(app, 'APP', 1, card(3), 2),
  aCard(1, web, 'WEB-1'),
  aCard(2, web, 'WEB-2'),
  aCard(3, app, 'APP-1'),
  anEdge(1, 2, 5),
  ...[3, 2, 1].map(
    (n, position) =>
      `insert into dependency.cards (workspace_id, id, position) values ('${workspace}', '${card(n)}', ${position})`,
  ),
  aDependency(1, 2, 5, true),
  aDependency(1, 3, 4, false),
  `insert into attachment.files (workspace_id, id, name, status, storage_key, size, created_by, created_at, updated_at, upload_expires_at)
   values ('${workspace}', '${id(40)}', 'plan.pdf', 'clean', 'k', 1, '${id(9)}', now(), now(), now())`,
  `insert into attachment.linked_files (workspace_id, subtask_id, card_id, file_id, version)
   values ('${workspace}', '${id(41)}', '${card(1)}', '${id(40)}', 2)`,
  ...[41, 42].map(
    (n) => `insert into card.subtasks (workspace_id, id, version, card_id, title, position, created_at, updated_at)
      values ('${workspace}', '${id(n)}', 1, '${card(1)}', 'Step', ${n}, now(), now())`,
  ),
  `update card.subtasks set linked_file_version = 2,
     linked_file = '{"id":"${id(40)}","name":"plan.pdf","board_id":null}' where id = '${id(41)}'`,
];

const anEvent = (age: string, published: string) =>
  `insert into card.outbox (id, workspace_id, subject, event, created_at, published_at)
   values ('${id(77)}', '${workspace}', 'evt.card.updated', '{}', now() - interval '${age}', ${published})`;
const anOperation = (age: string) =>
  `insert into card.operations (workspace_id, id, command_id, card_id, state, payload, created_at)
   values ('${workspace}', '${id(66)}', '${id(67)}', '${card(1)}', 'pending', '{}', now() - interval '${age}')`;
const pending = (age: string) =>
  `update identifier.identifiers set state = 'pending', card_version = null, assigned_at = null,
     created_at = now() - interval '${age}' where card_id = '${card(2)}'`;

beforeAll(async () => {
  template = await testDatabase({ service: 'card' });
  database = template;
  await run(...healthy);
});
beforeEach(async () => {
  const name = `${template.name}_${Math.random().toString(36).slice(2)}`;
  await runStatements(template.adminUrl.replace(template.name, 'postgres'), [
    `create database ${name} template ${template.name}`,
  ]);
  database = { ...template, name, adminUrl: template.adminUrl.replace(template.name, name) };
});

describe('npm run doctor', () => {
  it('finds nothing where nothing is wrong, nor in what is merely under way', async () => {
    await run(anEvent('10 seconds', 'null'), anOperation('10 seconds'));
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('DIFFERS');
    expect(out.match(/^ok /gm)?.length).toBeGreaterThan(8);
  });

  it('takes what settles while it looks for under way', async () => {
    await run(`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`);
    const looking = doctor(['--patience', '20']);
    await eventually(async () => {
      const looks = await run(
        `select from pg_stat_activity where application_name = 'cardinal-doctor' and datname = current_database()`,
      );
      expect(looks).not.toEqual([]);
    });
    await run(`update card.workstreams set name = 'Name of WEB', version = 3 where id = '${web}'`);
    expect(await looking).toMatchObject({ code: 0 });
  });

  it('exits 1 where something differs, and 0 after the repair', async () => {
    await run(`update card.workstreams set name = 'Old' where id = '${web}'`);
    const found = await doctor();
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^DIFFERS .*\n +workstream .*"Old"/m);
    const mended = await doctor(['--repair', '--patience', '0']);
    expect(mended.code).toBe(0);
    expect(mended.out).toMatch(/After the repair of 1 difference:\nok .*\n$/);
  });

  const ofWeb = `${workspace}/${web}`;
  it.each<[string, string[], RegExp]>([
    [
      'a workstream that no card could show',
      [`delete from card.workstreams where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card nothing`),
    ],
    [
      'a former name of a workstream',
      [`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card .*"Old"`),
    ],
    [
      'a name from the future',
      [`update card.workstreams set name = 'New', version = 9 where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card .*"New"`),
    ],
    [
      'a workstream that never was',
      [
        `insert into card.workstreams (workspace_id, id, version, name, prefix) values ('${workspace}', '${id(8)}', 1, 'No', 'NO')`,
      ],
      RegExp(`workstream ${workspace}/${id(8)}: identifier says nothing, card .*"NO"`),
    ],
    [
      'a dependency that is not counted',
      [`delete from card.card_dependencies where present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(2)}: dependency says .*, card nothing`),
    ],
    [
      'a dependency that counts as removed',
      [`update card.card_dependencies set present = false, version = 99 where present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(2)}: dependency says .*, card .*false`),
    ],
    [
      'a removed dependency that still counts',
      [`update card.card_dependencies set present = true where not present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(3)}: dependency says nothing, card .*true`),
    ],
    [
      'a linked file that a subtask does not show',
      [`update card.subtasks set linked_file = null, linked_file_version = 0 where id = '${id(41)}'`],
      RegExp(`linked file of subtask ${workspace}/${id(41)}: attachment says .*plan.pdf.*, card .*"linked_file": null`),
    ],
    [
      'a linked file that was cleared',
      [`update attachment.linked_files set file_id = null, version = 3`],
      RegExp(`linked file of subtask ${workspace}/${id(41)}: attachment says .*null.*, card .*plan.pdf`),
    ],
    [
      'a linked file that never was',
      [`update card.subtasks set linked_file = '{"id":"${id(40)}"}' where id = '${id(42)}'`],
      RegExp(`linked file of subtask ${workspace}/${id(42)}: attachment says nothing, card .*${id(40)}`),
    ],
  ])('names and mends %s', async (_, planted, named) => {
    await run(`alter table card.cards drop constraint cards_workspace_id_workstream_id_fkey`, ...planted);
    const found = await look();
    expect(found.told).toMatch(named);
    expect(await mendAll(found.findings)).toBe(1);
    expect((await look()).told).toBe('');
  });

  const free = 'alter table card.cards drop constraint cards_workspace_id_identifier_key';
  const freeNumbers = 'alter table identifier.identifiers drop constraint identifiers_pkey';
  it.each<[string, string[], RegExp]>([
    [
      'a default workstream that does not exist',
      [`update card.boards set default_workstream_id = '${id(8)}'`],
      RegExp(`workstream ${workspace}/${id(8)}: identifier says nothing`),
    ],
    [
      'a workstream of a card that does not exist',
      [
        `insert into card.workstreams (workspace_id, id, version, name, prefix) values ('${workspace}', '${id(8)}', 1, 'No', 'NO')`,
        `update card.cards set workstream_id = '${id(8)}' where id = '${card(1)}'`,
      ],
      RegExp(`identifier ${workspace}/WEB-1: identifier says .*${web}.*, card .*${id(8)}`),
    ],
    [
      'an identifier that was never issued',
      [`update card.cards set identifier = 'WEB-9' where id = '${card(1)}'`],
      RegExp(`identifier ${workspace}/WEB-9: identifier says nothing, card .*${card(1)}`),
    ],
    [
      "an identifier that is another card's",
      [free, `update card.cards set identifier = 'WEB-2' where id = '${card(1)}'`],
      RegExp(`card: ${workspace}/WEB-2 is on ${card(1)}, ${card(2)}`),
    ],
    [
      'an identifier that is not the last one of its card',
      [`update card.cards set identifier = 'WEB-3', workstream_id = '${web}' where id = '${card(3)}'`],
      RegExp(`card ${workspace}/${card(3)}: identifier says "APP-1", card "WEB-3"`),
    ],
    [
      'a gap in the numbers',
      [`update identifier.workstreams set last_number = 5 where prefix = 'WEB'`, aNumber(web, 'WEB', 5, card(3), 1)],
      RegExp(`${workspace}/WEB has given out 4 numbers and counts 5; missing: 4`),
    ],
    [
      'a counter that fell back',
      [`update identifier.workstreams set last_number = 2 where prefix = 'WEB'`],
      RegExp(`${workspace}/WEB has given out 3 numbers and counts 2`),
    ],
    [
      'a number of two cards',
      [freeNumbers, aNumber(web, 'WEB', 2, card(1))],
      RegExp(`${workspace}/WEB-2 is given out to ${card(1)}, ${card(2)}`),
    ],
    [
      'a number out of the wrong workstream',
      [`update identifier.identifiers set workstream_id = '${app}' where prefix = 'WEB' and number = 3`],
      RegExp(`${workspace}/WEB-3 is of workstream ${app}, its prefix of ${web}`),
    ],
    [
      'a dependency of a card that is gone',
      [anEdge(1, 50, 9), aDependency(1, 50, 9, true)],
      RegExp(`card ${workspace}/${card(50)}: card says nothing, dependency true`),
    ],
    [
      'a card that stands before what it depends on',
      [anEdge(2, 1, 9), aDependency(2, 1, 9, true)],
      RegExp(`card ${workspace}/${card(2)} stands at 1, card ${card(1)} at 2`),
    ],
    [
      'a cover of a card that is gone',
      [
        `insert into attachment.covers (workspace_id, card_id, file_id, version) values ('${workspace}', '${card(50)}', '${id(8)}', 1)`,
      ],
      RegExp(`card ${workspace}/${card(50)}: card says nothing, attachment true`),
    ],
    [
      'a linked file of a subtask that is gone',
      [
        `insert into attachment.linked_files (workspace_id, subtask_id, card_id, file_id, version)
         values ('${workspace}', '${id(60)}', '${card(1)}', '${id(8)}', 1)`,
      ],
      RegExp(`subtask ${workspace}/${id(60)}: card says nothing, attachment "${card(1)}"`),
    ],
    [
      'a file of a board that never was',
      [
        `insert into attachment.files (workspace_id, id, name, board_id, status, due_at, created_by, created_at, updated_at, upload_expires_at)
         values ('${workspace}', '${id(8)}', 'a.png', '${id(61)}', 'pending', now(), '${id(9)}', now(), now(), now())`,
      ],
      RegExp(`board ${workspace}/${id(61)}: card says nothing, attachment true`),
    ],
    ['an operation that nobody ends', [anOperation('2 minutes')], RegExp(`operation ${id(66)} of card ${card(1)}`)],
    ['a number that stays pending', [pending('2 minutes')], RegExp(`${workspace}/WEB-2 is pending since`)],
    ['an event that stays unpublished', [anEvent('2 minutes', 'null')], RegExp(`event ${id(77)} .evt.card.updated.`)],
    [
      'an event that was given up on',
      [`insert into identifier.dead_letters (event, error) values ('{"id":"e-1"}', 'Error: no\n at line 1')`],
      /identifier: dead letter .*: Error: no — \{"id":"e-1"\}/,
    ],
  ])('names %s and leaves it to a person', async (_, planted, named) => {
    await run(...planted);
    const found = await look();
    expect(found.told).toMatch(named);
    await mendAll(found.findings);
    expect((await look()).told).toMatch(named);
  });

  it('does not undo what came in after it looked', async () => {
    await run(`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`);
    const found = await look();
    await run(`update card.workstreams set name = 'Newer', version = 4 where id = '${web}'`);
    await mendAll(found.findings);
    expect(await run(`select name, version from card.workstreams where id = '${web}'`)).toEqual([
      { name: 'Newer', version: 4 },
    ]);
  });

  it('says in one line that there is nothing to look at', async () => {
    const answer = await doctor([], { CARDINAL_STATE: scratchFolder('state') });
    expect(answer).toMatchObject({ code: 1, out: '' });
    expect(answer.err.trim().split('\n')).toEqual([
      'no stack runs here: start it with `npm start`, or set DATABASE_URL to its database',
    ]);
  });
});
