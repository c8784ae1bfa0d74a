import { randomBytes } from 'node:crypto';
import { type DatabaseOwner, inDatabase, runStatements } from '@cardinal/servers';
import { askDesk } from './run/desk.ts';
import { providedDesk } from './run/provided.ts';
import { roleUrls, type SharedPostgres, templates } from './run/shared-postgres.ts';

export interface TestDatabase {
  /** URL of the role of the service asked for, whose schema its search_path names. */
  url: string;
  /** URL of each service's role in this database. */
  urls: Record<DatabaseOwner, string>;
  /** Superuser in this database. */
  adminUrl: string;
  name: string;
}

/**
 * A fresh database on the run's Postgres, gone with the run. Without a service: roles and empty schemas, `url` being the
 * card service's. With one: every table of every service.
 */
export const testDatabase = async ({ service }: { service?: DatabaseOwner } = {}): Promise<TestDatabase> => {
  const desk = providedDesk();
  const postgres = await askDesk<SharedPostgres>(desk, 'postgres');
  const template = service ? await askDesk<string>(desk, 'migrated-template') : templates.empty;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runStatements(postgres.url, [`create database ${name} template ${template}`]);
  const urls = roleUrls(postgres, name);
  return { url: urls[service ?? 'card'], urls, adminUrl: inDatabase(postgres.url, name), name };
};
