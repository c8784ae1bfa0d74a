import { databaseOwners } from '@cardinal/contracts';
import { ConfigError, runStatements, startPostgres } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { maxDifferences } from '../src/compare.ts';
import { readConfig } from '../src/config.ts';
import { durabilityWarnings } from '../src/durability.ts';
import { repairFindings } from '../src/repair.ts';
import { openSources } from '../src/sources.ts';
import { examined, doctor as runDoctor, useHealthyDatabase } from './database.ts';
import { anInternalEvent, anIssue, card, web, workspace } from './rows.ts';

const { adminUrl, urls, copy, run } = useHealthyDatabase();
const doctor = (args = ['--patience', '0'], env: Record<string, string> = { DATABASE_URL: adminUrl() }) =>
  runDoctor(args, env);

/** Where the doctor would look with such an environment. */
const configIn = (env: Record<string, string>) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return readConfig();
};

describe('npm run doctor', () => {
  it('warns of a server that loses what it acknowledged, and of standbys that no commit waits for', async () => {
    const dir = scratchFolder('pg');
    const settings = { fsync: 'off', synchronous_standby_names: 'FIRST 1 (gone)' };
    const server = await startPostgres({ dir, settings });
    onTestFinished(() => server.stop('SIGQUIT'));
    const sources = openSources(databaseOwners, () => server.url);
    onTestFinished(() => sources.close());
    const all = databaseOwners.join(', ');
    expect(await durabilityWarnings(sources)).toEqual([
      `${all}: off: fsync; a crash of the server loses what was acknowledged`,
      `${all}: commits wait for 1 standbys, and 0 are there`,
    ]);
    const { code, out } = await doctor();
    // The run's own server is made for data that may be lost.
    expect(out).toMatch(
      /^WARNING {2}every database keeps what it acknowledges\n +identifier, .*: off: fsync, full_page_writes; /m,
    );
    expect(code).toBe(0);
  });

  it('finds nothing where nothing is wrong, nor in what is merely under way', async () => {
    await run(...anInternalEvent('card', 3, '10 seconds'));
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('DIFFERS');
    expect(out).toContain('skipped  the broker');
    expect(out.match(/^ok /gm)?.length).toBeGreaterThan(8);
  });

  it('exits 1 where something differs, and 0 after the repair, as no more than each service itself', async () => {
    const own = Object.fromEntries(
      Object.entries(urls()).map(([service, url]) => [`${service.toUpperCase()}_DATABASE_URL`, url]),
    );
    await run(
      `delete from identifier.identifiers where prefix = 'WEB' and number = 3`,
      anIssue('WEB-3', '1 hour', 'now()'),
    );
    const found = await doctor(['--patience', '0'], own);
    expect(found).toMatchObject({ code: 1, err: '' });
    expect(found.out).toMatch(/^DIFFERS .*\n +identifier .*WEB-3: card says/m);
    const repaired = await doctor(['--repair', '--patience', '0'], own);
    expect(repaired.out).toMatch(/After the repair of 1 difference:\n(ok .*\n)+$/);
    expect(repaired.code).toBe(0);
    expect(await run(`select from identifier.identifiers where prefix = 'WEB' and number = 3`)).toHaveLength(1);
  });

  it('notes which projections are to be rebuilt where their services do not run, and exits 1', async () => {
    await run(`update card.workstreams set name = 'Old' where id = '${web}'`);
    const { code, out } = await doctor(['--repair', '--patience', '0']);
    expect(code).toBe(1);
    expect(out).toMatch(/^noted, and not rebuilt yet: 1 projection; /m);
    expect(out).toMatch(/After the repair of 1 difference:\nDIFFERS .*\n +workstream .*"Old"/);
    expect(await run('select owner, seq::int from card.followed_feeds')).toEqual([{ owner: 'identifier', seq: -1 }]);
  });

  it('repairs in one run more than a report lists: every identifier that a restored ledger lost', async () => {
    await run(
      `insert into card.issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by, recorded_at)
       select '${workspace}', 'WEB-' || n, '${web}', '${card(1)}', n, now(), '${workspace}', now()
       from generate_series(4, ${maxDifferences + 200}) as n`,
      `update card.workstreams set last_number = ${maxDifferences + 200}, granted_through = 5000 where prefix = 'WEB'`,
    );
    const repaired = await doctor(['--repair', '--patience', '0']);
    expect(repaired.out).toContain(`and at least ${maxDifferences - 20} more`);
    expect(repaired.out).toContain(`After the repair of ${maxDifferences + 197} differences`);
    expect(repaired.code).toBe(0);
  });

  it('repairs the database of the service that differs, and no other one', async () => {
    const elsewhere = await copy();
    const rename = `update card.workstreams set name = 'Old' where id = '${web}'`;
    await Promise.all([runStatements(elsewhere, [rename]), run(rename)]);
    const { databaseUrls } = configIn({ DATABASE_URL: adminUrl(), CARD_DATABASE_URL: elsewhere });
    const sources = openSources(databaseOwners, (service) => databaseUrls[service]);
    onTestFinished(() => sources.close());
    const found = await examined(sources);
    expect(found.told).toMatch(/workstream .*"Old"/);
    expect(await repairFindings(found.findings)).toEqual({ tried: 1, failures: [] });
    const marks = 'select from card.followed_feeds where seq = -1';
    expect([await runStatements(elsewhere, [marks]), await run(marks)]).toEqual([[{}], []]);
  });

  it('says what is to be set on, and notes it in each database for services that do not run', async () => {
    const asked = () =>
      run(`select card.lineage.advance_by::int as card, identifier.lineage.advance_by::int as identifier,
        event.lineage.advance_by::int as event from card.lineage, identifier.lineage, event.lineage`);
    onTestFinished(async () => {
      for (const service of ['card', 'identifier', 'event'])
        await run(`update ${service}.lineage set advance_by = null`);
    });
    const set = await doctor(['--advance', '10000']);
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toMatch(
      /^2 workstreams and 1 logs continue at least 10000 above what they gave out; more where .*\n/,
    );
    expect(set.out).toContain('noted: card, identifier, event do it at their next start, before any number');
    expect(await asked()).toEqual([{ card: 10_000, identifier: 10_000, event: 10_000 }]);
    // A smaller one takes nothing back.
    expect((await doctor(['--advance'])).out).toContain('at least 1000 above');
    expect(await asked()).toEqual([{ card: 10_000, identifier: 10_000, event: 10_000 }]);
    expect((await doctor(['--advance', 'all'])).err).toContain('It must be a whole number above 0.');
  });

  it('says what is missing where a schema is of an earlier release', async () => {
    const elsewhere = await copy();
    await runStatements(elsewhere, ['alter table identifier.lineage drop column advance_by']);
    const set = await doctor(['--advance'], { DATABASE_URL: elsewhere });
    expect(set).toMatchObject({ code: 1, out: '' });
    expect(set.err).toContain('identifier: its schema is of an earlier release; run its migrations first');
  });

  it('refuses to compare what is named with what runs here', () => {
    const missing = databaseOwners
      .filter((owner) => owner !== 'card')
      .map((owner) => `${owner.toUpperCase()}_DATABASE_URL`);
    expect(() => configIn({ CARD_DATABASE_URL: adminUrl() })).toThrow(
      new ConfigError(`set ${missing.join(', ')} too, or DATABASE_URL for those that have none of their own`),
    );
  });

  it('says in a line for each service that its database cannot be read', async () => {
    const card = urls().card;
    const answer = await doctor([], {
      DATABASE_URL: card,
      DEPENDENCY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(answer).toMatchObject({ code: 1, out: '' });
    const others = databaseOwners.filter((owner) => owner !== 'card');
    expect(answer.err.trim().split('\n')).toEqual(
      others.map((owner) =>
        owner === 'dependency'
          ? expect.stringMatching(/^dependency: The database is out of reach: .*ECONNREFUSED/)
          : `${owner}: permission denied for schema ${owner}`,
      ),
    );
  });

  it('says that there is nothing to look at', () => {
    expect(() => configIn({ CARDINAL_STATE: scratchFolder('state') })).toThrow(
      new ConfigError('no stack runs here: start it with `npm start`, or set DATABASE_URL to its database'),
    );
  });
});
