import { type DatabaseOwner, databaseOwners, forEachOwner } from '@cardinal/contracts';
import { changeDatabaseUrl } from '@cardinal/runtime';

/**
 * Runs statements one after the other, outside of any transaction.
 * @returns the rows of the last one
 */
export const runStatements = async (url: string, statements: string[]): Promise<unknown[]> => {
  // Loaded when it is needed: with it `npm run token` took a quarter longer.
  const [{ openDatabase }, { sql }] = await Promise.all([import('@cardinal/db'), import('kysely')]);
  const database = openDatabase({ url, name: 'cardinal-deploy', poolSize: 1, statementTimeoutMs: 60_000 });
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await database.read((db) => sql.raw(statement).execute(db))).rows;
    return rows;
  } finally {
    await database.close();
  }
};

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Runs a statement that may also be refused with one of some codes (Postgres, appendix A). */
const runUnlessRefused = (url: string, statement: string, ...codes: string[]): Promise<unknown> =>
  runStatements(url, [statement]).catch((error) => {
    if (!codes.includes((error as { code?: string }).code ?? '')) throw error;
  });

/** The same server, another database. */
export const inDatabase = (url: string, database: string) => changeDatabaseUrl(url, { pathname: `/${database}` });

/**
 * Makes the database unless it is there.
 * @returns the URL of the same role in that database
 */
export const ensureDatabase = async (adminUrl: string, database: string): Promise<string> => {
  await runUnlessRefused(adminUrl, `create database ${quoted(database)}`, '42P04');
  return inDatabase(adminUrl, database);
};

/**
 * Makes what the services use of Postgres' own extensions, where it is installed and the role may: both are refused on some
 * servers, and searches by a part of a title are slower there.
 */
const ensureExtensions = async (adminUrl: string): Promise<void> => {
  const statement = 'create extension if not exists pg_trgm schema public';
  await runUnlessRefused(adminUrl, statement, '0A000', '58P01', '42501', '3F000');
};

/** Limits of each role, to keep one service from holding up another for long (ARCHITECTURE, "Databases"). */
const limits = { lock_timeout: '2s', statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

const roleOf = (owner: DatabaseOwner) => `cardinal_${owner}`;

const statementsOfRole = (owner: DatabaseOwner, password: string): string[] => {
  const [role, schema] = [quoted(roleOf(owner)), quoted(owner)];
  return [
    `do $$ begin create role ${role} login; exception when duplicate_object then null; end $$`,
    `alter role ${role} with login password ${literal(password)}`,
    ...Object.entries(limits).map(([name, value]) => `alter role ${role} set ${name} = ${literal(value)}`),
    `alter role ${role} set search_path = ${schema}`,
    `grant ${role} to current_user`,
    `create schema if not exists ${schema} authorization ${role}`,
  ];
};

/**
 * Makes or updates what the services find in a database before their migrations: the extensions, and for each service the role
 * `cardinal_<service>` with its schema `<service>`, which no other service's role can read. All roles and schemas, or none.
 * @returns the URL that each service connects with
 */
export const ensureRoles = async (
  adminUrl: string,
  passwords: Record<DatabaseOwner, string>,
): Promise<Record<DatabaseOwner, string>> => {
  await ensureExtensions(adminUrl);
  const ofRoles = databaseOwners.flatMap((owner) => statementsOfRole(owner, passwords[owner]));
  // Sent at once, they are one transaction.
  await runStatements(adminUrl, [['revoke create on schema public from public', ...ofRoles].join(';\n')]);
  return forEachOwner((owner) => changeDatabaseUrl(adminUrl, { username: roleOf(owner), password: passwords[owner] }));
};
