import { connectionProblem, databaseUrlProblem, ServerProblem } from '@cardinal/runtime';
import type { Client } from 'pg';

const answerMs = 3_000;

/**
 * Connects once and looks whether the database will do.
 * @param oldest the oldest major version of Postgres that will do
 * @param mayCreate whether the role must be one that makes roles and schemas
 * @throws ServerProblem where it will not, within a few seconds
 */
export const checkDatabase = async (url: string, { oldest = 0, mayCreate = false } = {}): Promise<void> => {
  const misspelt = databaseUrlProblem(url);
  if (misspelt) throw wrong(misspelt);
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'cardinal-check',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const lack = await lackOf(client, oldest, mayCreate);
    if (lack) throw wrong(`Postgres at ${serverOf(url)} ${lack}`);
  } catch (error) {
    throw databaseProblem(error, url);
  } finally {
    // What never connected does not say that it has ended.
    void client.end().catch(() => {});
  }
};

const lackOf = async (client: Client, oldest: number, mayCreate: boolean): Promise<string | undefined> => {
  const { rows } = await client.query(`
    select current_setting('server_version') as version, current_user as role, current_database() as base,
      rolsuper or rolcreaterole as roles, has_database_privilege(current_database(), 'create') as schemas
    from pg_roles where rolname = current_user`);
  const { version = '', role, base, roles, schemas } = rows[0] ?? {};
  if (Number.parseInt(version, 10) < oldest) return `is version ${version}; take ${oldest} or later`;
  if (!mayCreate) return undefined;
  if (!roles) return `lets the role "${role}" make no roles; take another, or: alter role "${role}" createrole`;
  if (!schemas) {
    return `lets the role "${role}" make no schemas; take another, or: grant create on database "${base}" to "${role}"`;
  }
  return undefined;
};

const problem = (kind: ServerProblem['kind'], text: string, cause?: unknown) =>
  new ServerProblem(kind, `DATABASE_URL: ${text}`, { cause });
const wrong = (text: string, cause?: unknown) => problem('wrong', text, cause);

/** `host:port` of a URL, without what is secret in it. */
const serverOf = (url: string) => {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
};

/** What an error of the database that `DATABASE_URL` names means for whoever set it. */
export const databaseProblem = (error: unknown, url: string): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  // A refusal of the catalogue has the database's own error as its cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message = String(cause) } = cause as { code?: string; message?: string };
  const [server, words] = [serverOf(url), message.split('\n', 1)[0]];
  const [user, base] = [decodeURIComponent(new URL(url).username), decodeURIComponent(new URL(url).pathname.slice(1))];
  switch (code) {
    case '28P01':
      return wrong(`${server} refuses the password of "${user}"; correct user or password`, cause);
    case '28000':
      return wrong(
        `${server} lets "${user}" not in (${words}); correct the user, or append ?sslmode=verify-full`,
        cause,
      );
    case '3D000':
      return wrong(`Postgres at ${server} has no database "${base}"; correct it, or: create database "${base}"`, cause);
    case '42501':
      return wrong(`${words}; take a role that may create roles and schemas`, cause);
  }
  // insufficient_resources, operator_intervention, system_error: what a server says that has trouble of its own.
  if (code && /^(53|57|58)/.test(code)) {
    return problem('starting', `Postgres at ${server} says: ${words}; see its log`, cause);
  }
  if (/timeout/i.test(message)) {
    const seconds = answerMs / 1000;
    return problem(
      'away',
      `${server} says nothing that Postgres would, for ${seconds} s; correct host and port`,
      cause,
    );
  }
  if (code === 'ECONNRESET' || message.includes('Connection terminated')) {
    const advice = 'correct host and port where that is no Postgres, else see its log';
    return problem('starting', `${server} hangs up; ${advice}`, cause);
  }
  return (
    connectionProblem('DATABASE_URL', server, code) ??
    wrong(`Postgres at ${server} cannot be used: ${words}; correct the URL or the server`, cause)
  );
};
