import { runStatements } from '@cardinal/servers';
import { eventually, type World } from '@cardinal/testkit';

type Schema = 'card' | 'identifier' | 'event' | 'access';

/** The tables of a service, those with partitions as one, each with its columns that Postgres does not make up itself. */
const tablesOf = async (world: World, schema: Schema) => {
  const rows = await runStatements(world.adminUrl, [
    `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = '${schema}' and table_name not like 'kysely%' and is_generated = 'NEVER'
       and not (select relispartition from pg_class where oid = (quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass)
     group by table_name`,
  ]);
  return rows as { name: string; columns: string }[];
};

/** Keeps a copy of a service's tables of one moment, as a dump does. */
export const copySchema = async (world: World, schema: Schema) => {
  const copies = (await tablesOf(world, schema)).map(
    ({ name, columns }) => `create table backup_${schema}.${name} as select ${columns} from ${schema}.${name};`,
  );
  await runStatements(world.adminUrl, [
    `drop schema if exists backup_${schema} cascade`,
    `begin transaction isolation level repeatable read; create schema backup_${schema}; ${copies.join(' ')} commit`,
  ]);
};

/** Sets a service's tables back to that copy; like a server that is restored, it breaks the connections to it. */
export const restoreSchema = async (world: World, schema: Schema) => {
  const tables = await tablesOf(world, schema);
  const all = tables.map(({ name }) => `${schema}.${name}`).join(', ');
  const fill = tables.map(
    ({ name, columns }) =>
      `insert into ${schema}.${name} (${columns}) overriding system value select ${columns} from backup_${schema}.${name};`,
  );
  // Keys to other tables hold again at the end.
  const statements = `set session_replication_role = replica; truncate ${all}; ${fill.join(' ')}
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = '${schema}'; reset session_replication_role`;
  // A transaction of the service may lock the tables in another order; then one of the two is undone.
  await eventually(() => runStatements(world.adminUrl, [statements]));
};
