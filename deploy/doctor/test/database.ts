import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';
import { compileCache, repository, runStatements } from '@cardinal/servers';
import { type TestDatabase, testDatabase } from '@cardinal/testkit';
import { beforeAll, beforeEach, onTestFinished } from 'vitest';
import { checks } from '../src/checks/index.ts';
import type { Check } from '../src/examine.ts';
import { examine, type Finding } from '../src/examine.ts';
import { openSources, type Sources } from '../src/sources.ts';
import { healthy } from './rows.ts';

const script = join(repository, 'deploy/doctor/src/main.ts');

/** Runs the command as a person would. */
export const doctor = (args: string[], env: Record<string, string>) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env: { ...compileCache, ...env } }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });

/** Runs all checks in this process; `told` is the printed text of the differences. */
export const examined = async (sources: Sources, which: readonly Check[] = checks, patienceMs = 0) => {
  const findings = await examine(which, sources, patienceMs);
  return { findings, told: findings.flatMap(({ differences }) => differences.map(({ what }) => what)).join('\n') };
};

/** From here on a connection may write what foreign keys forbid: elsewhere each service may have a database of its own. */
export const withoutForeignKeys = 'set session_replication_role = replica';

const owners = databaseOwners.map((owner) => `'${owner}'`).join();
const removeRows = `do $$ declare tab regclass; begin
  for tab in select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text in (${owners})
    and relname !~ 'migration|lineage'
  loop execute format('delete from %s', tab); end loop; end $$`;

/** A database in which nothing is wrong when a test begins. */
export const useHealthyDatabase = () => {
  let shared: TestDatabase;
  let url: string;
  let sources: Sources;
  const copy = async (): Promise<string> => {
    const { adminUrl } = await testDatabase({ service: 'card' });
    await runStatements(adminUrl, healthy);
    return adminUrl;
  };
  const lookAt = (database: string) => {
    url = database;
    const opened = openSources(databaseOwners, () => database);
    sources = opened;
    return () => opened.close();
  };

  beforeAll(async () => {
    shared = await testDatabase({ service: 'card' });
  });
  beforeEach(async () => {
    await runStatements(shared.adminUrl, [
      withoutForeignKeys,
      removeRows,
      'reset session_replication_role',
      ...healthy,
    ]);
    return lookAt(shared.adminUrl);
  });

  return {
    adminUrl: () => url,
    /** URL of the role of each service in it. */
    urls: (): Record<DatabaseOwner, string> => shared.urls,
    /** Another database in which nothing is wrong, by the URL of its superuser. */
    copy,
    /** From here on the test has one to itself, whose tables it may change. */
    useOwn: async () => onTestFinished(lookAt(await copy())),
    /** Runs statements; answers the rows of the last one. */
    run: (...statements: string[]) => runStatements(url, statements),
    /** Looks at it, in this process. */
    look: (which?: readonly Check[]) => examined(sources, which),
    /** Looks again where something was found, as the command does after a repair. */
    lookAgain: (found: readonly Finding[]) =>
      examined(
        sources,
        found.filter(({ differences }) => differences.length > 0).map(({ check }) => check),
      ),
  };
};
