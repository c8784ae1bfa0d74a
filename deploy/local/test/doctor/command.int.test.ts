import { eventually, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { runStatements } from '../../src/index.ts';
import { anEvent, web } from './planted.ts';
import { doctor as runDoctor, useHealthyDatabase } from './scene.ts';

const { adminUrl, urls, copy, run } = useHealthyDatabase();
const doctor = (args = ['--patience', '0'], env: Record<string, string> = { DATABASE_URL: adminUrl() }) =>
  runDoctor(args, env);

const busyMachine = { timeoutMs: 50_000 };

describe('npm run doctor', () => {
  it('finds nothing where nothing is wrong, nor in what is merely under way', async () => {
    await run(anEvent('10 seconds', 'null'));
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('DIFFERS');
    expect(out).toContain('skipped  the broker');
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
    }, busyMachine);
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

  it('looks at each service where that has its database, as no more than the service itself', async () => {
    const own = Object.fromEntries(
      Object.entries(urls()).map(([service, url]) => [`${service.toUpperCase()}_DATABASE_URL`, url]),
    );
    await run(`update card.workstreams set name = 'Old' where id = '${web}'`);
    expect(await doctor(['--repair', '--patience', '0'], own)).toMatchObject({ code: 0, err: '' });
    expect(await run(`select from card.workstreams where name = 'Old'`)).toEqual([]);
  });

  it('mends the database of the service that differs, and no other one', async () => {
    const elsewhere = await copy();
    const rename = `update card.workstreams set name = 'Old' where id = '${web}'`;
    await runStatements(elsewhere, [rename]);
    const env = { DATABASE_URL: adminUrl(), CARD_DATABASE_URL: elsewhere };
    expect((await doctor(['--patience', '0'], env)).out).toMatch(/workstream .*"Old"/);
    await run(rename);
    expect((await doctor(['--repair', '--patience', '0'], env)).code).toBe(0);
    const old = `select from card.workstreams where name = 'Old'`;
    expect([await runStatements(elsewhere, [old]), await run(old)]).toEqual([[], [{}]]);
  });

  it('refuses to compare what is named with what runs here', async () => {
    const answer = await doctor([], { CARD_DATABASE_URL: adminUrl(), ATTACHMENT_DATABASE_URL: adminUrl() });
    expect(answer).toEqual({
      code: 1,
      out: '',
      err: 'set IDENTIFIER_DATABASE_URL, DEPENDENCY_DATABASE_URL too, or DATABASE_URL for those that have none of their own\n',
    });
  });

  it('says in a line for each service that its database cannot be read', async () => {
    const card = urls().card;
    const answer = await doctor([], {
      DATABASE_URL: card,
      DEPENDENCY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(answer).toMatchObject({ code: 1, out: '' });
    expect(answer.err.trim().split('\n')).toEqual([
      'identifier: permission denied for schema identifier',
      expect.stringMatching(/^dependency: The database is out of reach: .*ECONNREFUSED/),
      'attachment: permission denied for schema attachment',
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
