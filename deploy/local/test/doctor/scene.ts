import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@cardinal/testkit';
import { beforeAll, beforeEach, onTestFinished } from 'vitest';
import type { Check } from '../../src/doctor/check.ts';
import { checks } from '../../src/doctor/checks/index.ts';
import { examine } from '../../src/doctor/examine.ts';
import { openSources } from '../../src/doctor/sources.ts';
import { repository, runStatements } from '../../src/index.ts';
import { type DatabaseOwner, databaseOwners } from '../../src/services/provision.ts';
import { healthy } from './planted.ts';

const script = join(repository, 'deploy/local/src/doctor.ts');

/** Runs the command as a person would. */
export const doctor = (args: string[], env: Record<string, string>) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });

/** For each test a database of its own in which nothing is wrong. */
export const useHealthyDatabase = () => {
  let template: TestDatabase;
  let adminUrl = '';
  const copy = async (): Promise<string> => {
    const name = `${template.name}_${Math.random().toString(36).slice(2)}`;
    await runStatements(template.adminUrl.replace(template.name, 'postgres'), [
      `create database ${name} template ${template.name}`,
    ]);
    return template.adminUrl.replace(template.name, name);
  };
  const run = (...statements: string[]) => runStatements(adminUrl, statements);

  beforeAll(async () => {
    template = await testDatabase({ service: 'card' });
    await runStatements(template.adminUrl, healthy);
  });
  beforeEach(async () => {
    adminUrl = await copy();
  });

  return {
    adminUrl: () => adminUrl,
    /** URL of the role of each service in it. */
    urls: () => {
      const { pathname } = new URL(adminUrl);
      return Object.fromEntries(
        databaseOwners.map((service) => [service, new URL(pathname, template.urls[service]).href]),
      ) as Record<DatabaseOwner, string>;
    },
    /** Another database in which nothing is wrong, by the URL of its superuser. */
    copy,
    /** Runs statements; answers the rows of the last one. */
    run,
    /** Looks once, in this process. */
    look: async (which: readonly Check[] = checks) => {
      const sources = openSources(databaseOwners, () => adminUrl);
      onTestFinished(() => sources.close());
      const findings = await examine(which, sources, 0);
      return { findings, told: findings.flatMap(({ differences }) => differences.map(({ what }) => what)).join('\n') };
    },
  };
};
