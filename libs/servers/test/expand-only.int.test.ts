import { join } from 'node:path';
import { databaseOwners } from '@cardinal/contracts';
import { scratchFolder, testDatabase } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { buildBefore, hasService, migrateService, runStatements } from '../src/index.ts';

/** What a release can rely on in a database: its columns, and what its writes must satisfy. */
interface Catalogue {
  columns: Map<string, { type: string; isNullable: boolean; hasDefault: boolean }>;
  constraints: Map<string, string>;
}

const schemas = databaseOwners.map((owner) => `'${owner}'`).join(', ');

/** A unique index with its columns in alphabetical order: writes do not depend on their order, "on conflict" neither. */
const inOrder = (name: string): string =>
  name.replace(/(?<= unique btree \()[\w", ]+(?=\))/, (columns) => columns.split(', ').sort().join(', '));

const catalogueOf = async (url: string): Promise<Catalogue> => {
  const columns = await runStatements(url, [
    `select format('%s.%s.%s', table_schema, table_name, column_name) as name, udt_name as type,
       is_nullable = 'YES' as "isNullable",
       column_default is not null or is_generated = 'ALWAYS' or is_identity = 'YES' as "hasDefault"
     from information_schema.columns where table_schema in (${schemas}) and table_name not like 'kysely%'`,
  ]);
  // Not null is listed with the columns; a unique index without a constraint counts as one.
  const constraints = await runStatements(url, [
    `select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) as name, conrelid::regclass::text as table
     from pg_constraint where connamespace::regnamespace::text in (${schemas}) and contype in ('c', 'f', 'x')
     union all
     select format('%s %s', indrelid::regclass, regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', 'unique ')),
       indrelid::regclass::text
     from pg_index join pg_class on pg_class.oid = indrelid
     where indisunique and relnamespace::regnamespace::text in (${schemas}) and relkind in ('r', 'p')`,
  ]);
  return {
    columns: new Map((columns as { name: string }[]).map(({ name, ...rest }) => [name, rest as never])),
    constraints: new Map(
      (constraints as { name: string; table: string }[]).map(({ name, table }) => [inOrder(name), table]),
    ),
  };
};

/** What the last release can no longer read or write in today's database: one line each. */
const brokenFor = (former: Catalogue, now: Catalogue): string[] => {
  const tableOf = (column: string) => column.slice(0, column.lastIndexOf('.'));
  const formerTables = new Set([...former.columns.keys()].map(tableOf));
  const problems: string[] = [];
  for (const [name, was] of former.columns) {
    const is = now.columns.get(name);
    if (!is) problems.push(`${name} is gone`);
    else if (is.type !== was.type) problems.push(`${name} was ${was.type} and is ${is.type}`);
    else if (was.isNullable && !is.isNullable) problems.push(`${name} must not be null any more`);
    else if (was.hasDefault && !is.hasDefault && !is.isNullable) problems.push(`${name} has no default any more`);
  }
  for (const [name, { isNullable, hasDefault }] of now.columns) {
    if (former.columns.has(name) || !formerTables.has(tableOf(name))) continue;
    if (!isNullable && !hasDefault) problems.push(`${name} is new and wants a value`);
  }
  for (const [name, table] of now.constraints) {
    if (!former.constraints.has(name) && formerTables.has(table)) problems.push(`${name} is new`);
  }
  // "on conflict" names it.
  for (const name of former.constraints.keys()) {
    if (name.includes(' unique ') && !now.constraints.has(name)) problems.push(`${name} is gone`);
  }
  return problems.sort();
};

const last = buildBefore();
describe.skipIf(!last)('a migration only adds, so that the last release goes on beside it', () => {
  const migrated = async () => {
    const { urls, adminUrl } = await testDatabase();
    const log = join(scratchFolder('expand'), 'migrate.log');
    const migrate = (build?: string) =>
      Promise.all(
        databaseOwners
          .filter((owner) => hasService(owner, build))
          .map((owner) => migrateService(owner, urls[owner], log, build)),
      );
    await migrate(last);
    return { adminUrl, migrate, before: await catalogueOf(adminUrl) };
  };

  it('what the last release reads and writes is there after the migrations of this build', async () => {
    const { adminUrl, migrate, before } = await migrated();
    expect(before.columns.size).toBeGreaterThan(100);
    await migrate();
    expect(brokenFor(before, await catalogueOf(adminUrl))).toEqual([]);
  });

  it('and whatever else a migration could do to it is told', async () => {
    const { adminUrl, before } = await migrated();
    await runStatements(adminUrl, [
      `alter table card.comments drop column body;
       alter table card.boards rename column name to title;
       alter table card.boards alter column version type text;
       alter table card.cards alter column description set not null;
       alter table card.dead_letters alter column failed_at drop default, drop constraint dead_letters_pkey;
       alter table card.labels add column shade text not null;
       alter table card.labels add column tone text not null default 'dark', add column hint text;
       alter table card.labels add check (name <> 'x');
       create unique index on card.labels (name);
       create table card.extra (id integer primary key check (id > 0))`,
    ]);
    expect(brokenFor(before, await catalogueOf(adminUrl))).toEqual([
      'card.boards.name is gone',
      'card.boards.title is new and wants a value',
      'card.boards.version was int4 and is text',
      'card.cards.description must not be null any more',
      'card.comments.body is gone',
      'card.dead_letters unique btree (id) is gone',
      'card.dead_letters.failed_at has no default any more',
      "card.labels CHECK ((name <> 'x'::text)) is new",
      'card.labels unique btree (name) is new',
      'card.labels.shade is new and wants a value',
    ]);
  });
});
