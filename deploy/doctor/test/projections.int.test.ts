import { describe, expect, it } from 'vitest';
import { repairFindings } from '../src/repair.ts';
import { useHealthyDatabase, withoutForeignKeys } from './database.ts';
import {
  aCover,
  aDependency,
  aLink,
  anEdge,
  anInternalEvent,
  anIssue,
  aPosition,
  card,
  id,
  web,
  workspace,
} from './rows.ts';

const { run, look, lookAgain, useOwn } = useHealthyDatabase();

/** The projections that services are to rebuild, and their owners. */
const marked = () =>
  run(
    ['card', 'dependency', 'attachment']
      .map(
        (follower) =>
          `select '${follower}' as of, owner, workspace_id, id from ${follower}.followed_feeds where seq = -1`,
      )
      .join(' union all '),
  );
const mark = (of: string, owner: string) => ({ of, owner, workspace_id: workspace, id: null });

describe('the doctor', () => {
  const ofWeb = `${workspace}/${web}`;
  it.each<[string, [of: string, owner: string], string[], RegExp]>([
    [
      'a workstream that no card could show',
      ['card', 'identifier'],
      [`delete from card.workstreams where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card nothing`),
    ],
    [
      'a former name of a workstream',
      ['card', 'identifier'],
      [`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card .*"Old"`),
    ],
    [
      'a name from the future',
      ['card', 'identifier'],
      [`update card.workstreams set name = 'New', version = 9 where id = '${web}'`],
      RegExp(`workstream ${ofWeb}: identifier says .*"Name of WEB".*, card .*"New"`),
    ],
    [
      'a workstream that never was',
      ['card', 'identifier'],
      [
        `insert into card.workstreams (workspace_id, id, version, name, prefix) values ('${workspace}', '${id(8)}', 1, 'No', 'NO')`,
      ],
      RegExp(`workstream ${workspace}/${id(8)}: identifier says nothing, card .*"NO"`),
    ],
    [
      'a dependency that is not counted',
      ['card', 'dependency'],
      [`delete from card.card_dependencies where present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(2)}: dependency says .*, card nothing`),
    ],
    [
      'a dependency that counts as removed',
      ['card', 'dependency'],
      [`update card.card_dependencies set present = false, version = 99 where present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(2)}: dependency says .*, card .*false`),
    ],
    [
      'a removed dependency that still counts',
      ['card', 'dependency'],
      [`update card.card_dependencies set present = true where not present`],
      RegExp(`dependency of ${workspace}/${card(1)} on ${card(3)}: dependency says nothing, card .*true`),
    ],
    [
      'a linked file that a subtask does not show',
      ['card', 'attachment'],
      [`update card.subtasks set linked_file = null, linked_file_version = 0 where id = '${id(41)}'`],
      RegExp(`linked file of subtask ${workspace}/${id(41)}: attachment says .*plan.pdf.*, card .*"linked_file": null`),
    ],
    [
      'a linked file that was cleared',
      ['card', 'attachment'],
      [`update attachment.linked_files set file_id = null, version = 3`],
      RegExp(`linked file of subtask ${workspace}/${id(41)}: attachment says .*null.*, card .*plan.pdf`),
    ],
    [
      'a linked file that never was',
      ['card', 'attachment'],
      [`update card.subtasks set linked_file = '{"id":"${id(40)}"}' where id = '${id(42)}'`],
      RegExp(`linked file of subtask ${workspace}/${id(42)}: attachment says nothing, card .*${id(40)}`),
    ],
    [
      'a card that counts as deleted for dependencies',
      ['dependency', 'card'],
      [`update dependency.cards set position = null, deleted_at = now() where id = '${card(3)}'`],
      RegExp(`card ${workspace}/${card(3)}: card says "exists", dependency "deleted at `),
    ],
    [
      'a card that counts as deleted for covers',
      ['attachment', 'card'],
      [`insert into attachment.tombstones (workspace_id, id, deleted_at) values ('${workspace}', '${card(1)}', now())`],
      RegExp(`card or subtask ${workspace}/${card(1)}: card says "exists", attachment "deleted at `),
    ],
    [
      'a subtask that counts as deleted for linked files',
      ['attachment', 'card'],
      [`insert into attachment.tombstones (workspace_id, id, deleted_at) values ('${workspace}', '${id(42)}', now())`],
      RegExp(`card or subtask ${workspace}/${id(42)}: card says "exists", attachment "deleted at `),
    ],
    [
      'a dependency of a card that is gone',
      ['dependency', 'card'],
      [anEdge(1, 50, 9), aDependency(1, 50, 9, true)],
      RegExp(`card ${workspace}/${card(50)}: card says nothing, dependency true`),
    ],
    [
      'a cover of a card that is gone',
      ['attachment', 'card'],
      [aCover(50)],
      RegExp(`card ${workspace}/${card(50)}: card says nothing, attachment true`),
    ],
    [
      'a linked file of a subtask that is gone',
      ['attachment', 'card'],
      [aLink(60, 1)],
      RegExp(`subtask ${workspace}/${id(60)}: card says nothing, attachment "${card(1)}"`),
    ],
  ])('names %s, and has the projection rebuilt', async (_, [of, owner], planted, named) => {
    await run(withoutForeignKeys, ...planted);
    const found = await look();
    expect(found.told).toMatch(named);
    const { tried, failures } = await repairFindings(found.findings);
    expect([tried > 0, failures]).toEqual([true, []]);
    expect(await marked()).toContainEqual(mark(of, owner));
    expect((await lookAgain(found.findings)).told).toMatch(named);
  });

  it('has nothing rebuilt but what differs', async () => {
    await run(`update card.workstreams set name = 'Old', version = 2 where id = '${web}'`);
    await repairFindings((await look()).findings);
    expect(await marked()).toEqual([mark('card', 'identifier')]);
  });

  it('gives a ledger that was restored the identifiers that it lacks', async () => {
    await run(
      anIssue('WEB-4', '1 hour', 'now()'),
      `update card.workstreams set last_number = 4 where prefix = 'WEB'`,
      `update card.cards set identifier = 'WEB-4' where id = '${card(1)}'`,
    );
    const found = await look();
    expect(found.told).toMatch(RegExp(`identifier ${workspace}/WEB-4: card says .*${card(1)}.*, identifier nothing`));
    expect(await repairFindings(found.findings)).toEqual({ tried: 1, failures: [] });
    expect((await lookAgain(found.findings)).told).toBe('');
  });

  it('repairs the rest where something cannot be repaired, and says why', async () => {
    await useOwn();
    await run(
      'alter table dependency.followed_feeds add constraint no_rebuild check (seq >= 0) not valid',
      `update card.workstreams set name = 'Old', version = 2 where id = '${web}'`,
      `update dependency.cards set position = null, deleted_at = now() where id = '${card(3)}'`,
    );
    const found = await look();
    expect(await repairFindings(found.findings)).toMatchObject({
      tried: 2,
      failures: [expect.stringContaining('no_rebuild')],
    });
    expect(await marked()).toEqual([mark('card', 'identifier')]);
  });

  it('takes for different what it cannot look at', async () => {
    await useOwn();
    await run('alter table dependency.edges rename to gone');
    expect((await look()).told).toContain('could not be looked at: relation "dependency.edges" does not exist');
  });
});

describe('the doctor, of what was noted for a projection', () => {
  const standsStill = (took: number) => `feed of card for ${workspace}: dependency took ${took} of it and stands still`;

  it.each<[string, number, string[]]>([
    ['was not taken for more than a minute', 2, anInternalEvent('card', 3, '2 minutes')],
    [
      'was not taken while more is noted',
      2,
      [...anInternalEvent('card', 3, '2 minutes'), ...anInternalEvent('card', 4, '1 second')],
    ],
    [
      'was never taken and is older than what is kept',
      0,
      ['delete from dependency.followed_feeds', 'delete from card.internal_events'],
    ],
    ['is less than what was taken', 9, [aPosition('dependency', 'card', 9)]],
    ['is to be rebuilt, and is not', -1, [aPosition('dependency', 'card', -1)]],
  ])('names what %s, and leaves it', async (_, took, planted) => {
    await run(...planted);
    const found = await look();
    expect(found.told).toContain(standsStill(took));
    expect(await repairFindings(found.findings)).toEqual({ tried: 0, failures: [] });
  });

  it('names nothing that is on its way', async () => {
    await run(...anInternalEvent('card', 3, '10 seconds'));
    expect((await look()).told).toBe('');
  });
});
