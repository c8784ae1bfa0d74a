import { describe, expect, it } from 'vitest';
import { repairFindings } from '../src/repair.ts';
import { useHealthyDatabase } from './database.ts';
import { aDependency, aNumber, anEdge, anIssue, app, card, id, web, workspace } from './rows.ts';

const { run, look, lookAgain } = useHealthyDatabase();

describe('the doctor', () => {
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
      RegExp(`card ${workspace}/${card(1)}: identifier says .*${web}.*, card .*${id(8)}`),
    ],
    [
      'an identifier that was never issued',
      [`update card.cards set identifier = 'WEB-9' where id = '${card(1)}'`],
      RegExp(`card ${workspace}/${card(1)}: identifier says .*"WEB-1".*, card .*"WEB-9"`),
    ],
    [
      'an identifier that is not the last one of its card',
      [`update card.cards set identifier = 'WEB-3', workstream_id = '${web}' where id = '${card(3)}'`],
      RegExp(`card ${workspace}/${card(3)}: identifier says .*"APP-1".*, card .*"WEB-3"`),
    ],
    [
      'a gap in the numbers',
      [`update card.workstreams set last_number = 5 where prefix = 'WEB'`, aNumber(web, 'WEB', 5, card(3), 1)],
      RegExp(`${workspace}/WEB has 4 numbers up to 5; missing: 4`),
    ],
    [
      'a counter that was rolled back, as that of a backup',
      [`update card.workstreams set last_number = 2 where prefix = 'WEB'`],
      RegExp(`counter ${workspace}/WEB: card says 2, identifier 3`),
    ],
    [
      'numbers that the ledger never got',
      [`update card.workstreams set last_number = 4 where prefix = 'WEB'`],
      RegExp(`counter ${workspace}/WEB: card says 4, identifier 3`),
    ],
    [
      'such numbers of a counter without room',
      [`update card.workstreams set last_number = 4, granted_through = 4 where prefix = 'WEB'`],
      RegExp(`counter ${workspace}/WEB: card says "4 or more", identifier 3`),
    ],
    [
      'a number that has no card any more',
      [
        `update card.workstreams set last_number = 4 where prefix = 'WEB'`,
        aNumber(web, 'WEB', 4, card(50)),
        // Distinguished from one that was deleted.
        `update card.workstreams set last_number = 2 where prefix = 'APP'`,
        aNumber(app, 'APP', 2, card(51)),
        `update card.changes set type = 'card.deleted', card_id = '${card(51)}' where seq = 3`,
      ],
      RegExp(`^card ${workspace}/${card(50)}: card says nothing, identifier \\["WEB-4"\\]$`),
    ],
    [
      'an identifier that the ledger has for another card',
      [anIssue('WEB-2', '1 second', 'now()')],
      RegExp(`identifier ${workspace}/WEB-2: card says .*${card(1)}.*, identifier .*${card(2)}`),
    ],
    [
      'an identifier that names one card in the ledger and another one beside the cards, however old',
      [
        `update identifier.identifiers set card_id = '${card(50)}', assigned_at = now() - interval '1 year'
         where prefix = 'WEB' and number = 1`,
      ],
      RegExp(`identifier ${workspace}/WEB-1: identifier says "${card(50)}", card "${card(1)}"`),
    ],
    [
      'a range that is closed, of a workstream that is not archived',
      [`update card.workstreams set closed = true where prefix = 'WEB'`],
      RegExp(`workstream ${workspace}/${web}: identifier says nothing, card "archived"`),
    ],
    [
      'a number out of the wrong workstream',
      [`update identifier.identifiers set workstream_id = '${app}' where prefix = 'WEB' and number = 3`],
      RegExp(`${workspace}/WEB-3 is of workstream ${app}, its prefix of ${web}`),
    ],
    [
      'a card that stands before what it depends on',
      [anEdge(2, 1, 9), aDependency(2, 1, 9, true)],
      RegExp(`card ${workspace}/${card(2)} stands at 1, card ${card(1)} at 2`),
    ],
    [
      'a file of a board that never was',
      [
        `insert into attachment.files (workspace_id, id, name, board_id, status, created_by, created_at, updated_at, upload_expires_at)
         values ('${workspace}', '${id(8)}', 'a.png', '${id(61)}', 'pending', '${id(9)}', now(), now(), now())`,
      ],
      RegExp(`board ${workspace}/${id(61)}: card says nothing, attachment true`),
    ],
    [
      'an identifier that does not reach the ledger',
      [anIssue('WEB-1', '2 minutes', 'null')],
      RegExp(`${workspace}/WEB-1 of card ${card(1)} is unrecorded since`),
    ],
    [
      'an archive that nobody ends',
      [`update identifier.workstreams set closing = '${id(66)}' where prefix = 'WEB'`],
      RegExp(`workstream ${workspace}/${web} is being archived`),
    ],
    [
      'an opening that nobody ends',
      [`update identifier.workstreams set opening = '${id(66)}' where prefix = 'WEB'`],
      RegExp(`workstream ${workspace}/${web} is being opened`),
    ],
    [
      'an opening that a rollback has forgotten',
      [
        `update card.workstreams set adopted_through = 3 where prefix = 'WEB'`,
        `update identifier.workstreams set adopting = true, granted_through = 0, adopted_through = 3 where prefix = 'WEB'`,
      ],
      RegExp(`workstream ${workspace}/${web}: card says "opened", identifier "adopting"`),
    ],
    [
      'a gap behind what was adopted',
      [
        `update identifier.workstreams set adopted_through = 7 where prefix = 'WEB'`,
        `update card.workstreams set last_number = 9, adopted_through = 7 where prefix = 'WEB'`,
        aNumber(web, 'WEB', 9, card(3), 1),
      ],
      RegExp(`${workspace}/WEB has 1 numbers up to 9; missing: 8`),
    ],
    [
      'a counter below what was adopted',
      [`update identifier.workstreams set adopted_through = 7 where prefix = 'WEB'`],
      RegExp(`counter ${workspace}/WEB: card says 3, identifier 7`),
    ],
    [
      'an adopted identifier that the ledger has for another card, however old',
      [
        `update card.workstreams set adopting = true, granted_through = 0 where prefix = 'WEB'`,
        anIssue('WEB-2', '1 year', 'now()'),
      ],
      RegExp(`identifier ${workspace}/WEB-2: card says .*${card(1)}.*, identifier .*${card(2)}`),
    ],
    [
      'a job that fails again and again',
      [
        `insert into attachment.jobs (workspace_id, kind, key, user_id, created_at, due_at, attempts, error)
         values ('${workspace}', 'check-files', '${id(8)}', '${id(9)}', now(), now(), 10, 'Error: no')`,
      ],
      RegExp(`job check-files of ${workspace}/${id(8)} failed 10 times: Error: no`),
    ],
  ])('names %s and leaves it to a person', async (_, planted, named) => {
    await run(...planted);
    const found = await look();
    expect(found.told).toMatch(named);
    await repairFindings(found.findings);
    expect((await lookAgain(found.findings)).told).toMatch(named);
  });

  it('counts what was adopted for no gap, and what an opening left out neither', async () => {
    await run(
      aNumber(app, 'APP', 40, card(3), 3),
      aNumber(app, 'APP', 7, card(2), 4),
      `update card.cards set identifier = case id when '${card(3)}' then 'APP-40' else 'APP-7' end, workstream_id = '${app}'
       where id in ('${card(2)}', '${card(3)}')`,
      `update identifier.workstreams set adopting = true, granted_through = 0, adopted_through = 60 where prefix = 'APP'`,
      `update card.workstreams set adopting = true, granted_through = 0, last_number = 40 where prefix = 'APP'`,
    );
    expect((await look()).told).toBe('');
    await run(
      `update identifier.workstreams set adopting = false, granted_through = 108, adopted_through = 99 where prefix = 'APP'`,
      `update card.workstreams set adopting = false, granted_through = 108, last_number = 99, adopted_through = 99
       where prefix = 'APP'`,
    );
    expect((await look()).told).toBe('');
  });

  it.each([
    ['learns of the ledger before it issues anything', 'last_number = 2, granted_through = 2'],
    ['was granted a range after a rollback, of which nothing was issued yet', 'last_number = 67, granted_through = 75'],
  ])('takes no counter for wrong that %s', async (_, counter) => {
    await run(
      `update card.workstreams set ${counter} where prefix = 'WEB'`,
      `update identifier.workstreams set epoch = 2, epoch_base = 67 where prefix = 'WEB'`,
    );
    expect((await look()).told).not.toMatch('counter');
    await run(`update card.workstreams set last_number = 66, granted_through = 75 where prefix = 'WEB'`);
    expect((await look()).told).toMatch(`counter ${workspace}/WEB: card says 66, identifier "3 or 67"`);
  });

  it('takes no counter for wrong that was granted its first range above a margin', async () => {
    const [first, next] = [`${id(80)}`, `${id(81)}`];
    for (const [one, prefix, base] of [
      [first, 'NEW', 1_000],
      [next, 'OFF', 900],
    ] as const) {
      await run(
        `insert into identifier.workstreams
           (workspace_id, id, version, name, prefix, is_default, granted_through, epoch, epoch_base, created_at, updated_at)
         values ('${workspace}', '${one}', 1, 'New', '${prefix}', false, 1008, 2, ${base}, now(), now())`,
        `insert into card.workstreams (workspace_id, id, version, name, prefix, last_number, granted_through)
         values ('${workspace}', '${one}', 1, 'New', '${prefix}', 1000, 1008)`,
      );
    }
    const { told } = await look();
    expect(told).not.toMatch('/NEW');
    expect(told).toMatch(`counter ${workspace}/OFF: card says 1000, identifier "0 or 900"`);
  });
});
