import { describe, expect, it } from 'vitest';
import { repairFindings } from '../src/repair.ts';
import { useHealthyDatabase, withoutForeignKeys } from './database.ts';
import { anIssue, app, card, id, web, workspace } from './rows.ts';

const { run, look, lookAgain, useOwn } = useHealthyDatabase();

describe('the doctor', () => {
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
      'an identifier that a restored ledger lacks',
      [
        anIssue('WEB-4', '1 hour', 'now()'),
        `update card.workstreams set last_number = 4 where prefix = 'WEB'`,
        `update card.cards set identifier = 'WEB-4' where id = '${card(1)}'`,
      ],
      RegExp(`identifier ${workspace}/WEB-4: card says .*${card(1)}.*, identifier nothing`),
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
    [
      'a card that counts as deleted for dependencies',
      [`update dependency.cards set position = null, deleted_at = now() where id = '${card(3)}'`],
      RegExp(`card ${workspace}/${card(3)}: card says "exists", dependency "deleted at `),
    ],
    [
      'a card that counts as deleted for covers',
      [`insert into attachment.tombstones (workspace_id, id, deleted_at) values ('${workspace}', '${card(1)}', now())`],
      RegExp(`card or subtask ${workspace}/${card(1)}: card says "exists", attachment "deleted at `),
    ],
    [
      'a subtask that counts as deleted for linked files',
      [`insert into attachment.tombstones (workspace_id, id, deleted_at) values ('${workspace}', '${id(42)}', now())`],
      RegExp(`card or subtask ${workspace}/${id(42)}: card says "exists", attachment "deleted at `),
    ],
  ])('names and repairs %s', async (_, planted, named) => {
    await run(withoutForeignKeys, ...planted);
    const found = await look();
    expect(found.told).toMatch(named);
    expect(await repairFindings(found.findings)).toEqual({ tried: 1, failures: [] });
    expect((await lookAgain(found.findings)).told).toBe('');
  });

  it('repairs the rest where something cannot be repaired, and tells why', async () => {
    await useOwn();
    await run(
      `alter table card.workstreams add constraint no_web check (name <> 'Name of WEB') not valid`,
      `update card.workstreams set name = 'Old', version = 2 where id in ('${web}', '${app}')`,
    );
    const found = await look();
    expect(await repairFindings(found.findings)).toMatchObject({
      tried: 2,
      failures: [expect.stringContaining('no_web')],
    });
    expect(await run(`select name from card.workstreams order by name`)).toEqual([
      { name: 'Name of APP' },
      { name: 'Old' },
    ]);
  });

  it('takes for different what it cannot look at', async () => {
    await useOwn();
    await run('alter table dependency.edges rename to gone');
    expect((await look()).told).toContain('could not be looked at: relation "dependency.edges" does not exist');
  });

  it('does not undo what came in after it looked', async () => {
    await run(`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`);
    const found = await look();
    await run(`update card.workstreams set name = 'Newer', version = 4 where id = '${web}'`);
    await repairFindings(found.findings);
    expect(await run(`select name, version from card.workstreams where id = '${web}'`)).toEqual([
      { name: 'Newer', version: 4 },
    ]);
  });
});
