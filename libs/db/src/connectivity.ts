import { connectionProblem, databaseUrlProblem, hostUrls, ServerProblem, serversOf } from '@cardinal/runtime';
import type { Client } from 'pg';
import { isBroken } from './errors.ts';
import { isStandby } from './hosts.ts';
import { poolsTransactions } from './pooler.ts';

const answerMs = 3_000;

interface Demands {
  /** The oldest major version of Postgres that is accepted. */
  oldest?: number;
  /** Whether the role must be able to create roles and schemas. */
  mayCreate?: boolean;
}

const problem = (kind: ServerProblem['kind'], text: string, cause?: unknown) =>
  new ServerProblem(kind, `DATABASE_URL: ${text}`, { cause });

/**
 * Connects once and checks that the database can be used; of several hosts, that one of them can.
 * @throws ServerProblem where it cannot, within a few seconds per host
 */
export const checkDatabase = async (url: string, demands: Demands = {}): Promise<void> => {
  const misspelt = databaseUrlProblem(url);
  if (misspelt) throw problem('wrong', misspelt);
  const problems: ServerProblem[] = [];
  for (const one of hostUrls(url)) {
    try {
      return await checkHost(one, demands);
    } catch (error) {
      problems.push(databaseProblem(error, one));
    }
  }
  // The kind of the host that is most likely to recover.
  const kinds = problems.map(({ kind }) => kind);
  const kind = (['starting', 'away', 'wrong'] as const).find((one) => kinds.includes(one)) ?? 'wrong';
  const texts = problems.map(({ message }) => message.replace('DATABASE_URL: ', ''));
  throw problem(kind, texts.join('; '), problems[0]?.cause);
};

const checkHost = async (url: string, { oldest = 0, mayCreate = false }: Demands): Promise<void> => {
  const { default: pg } = await import('pg');
  const [client, second] = [0, 1].map(() => {
    const one = new pg.Client({
      connectionString: url,
      application_name: 'cardinal-check',
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    });
    return one.on('error', () => {});
  }) as [Client, Client];
  const server = `Postgres at ${serversOf(url)}`;
  try {
    await client.connect();
    if (await isStandby(client)) {
      throw problem('starting', `${server} is a standby, which takes no writes; name its primary too (host1,host2)`);
    }
    const lack = await lackOf(client, oldest, mayCreate);
    if (lack) throw problem('wrong', `${server} ${lack}`);
    await second.connect();
    if (await poolsTransactions(client, second)) {
      throw problem(
        'wrong',
        `a pooler at ${serversOf(url)} gives each transaction another connection; ` +
          'set it to session pooling (PgBouncer: pool_mode = session), or name Postgres itself',
      );
    }
  } finally {
    // A client that never connected does not report its end.
    for (const one of [client, second]) void one.end().catch(() => {});
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

/** Makes an error of the database a problem for the operator, who set `DATABASE_URL`. */
export const databaseProblem = (error: unknown, url: string): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  // A `CardinalError` has the database's own error as its cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = '', message = String(cause) } = cause as { code?: string; message?: string };
  const [server, words] = [serversOf(url), message.split('\n', 1)[0]];
  const { username, pathname } = new URL(hostUrls(url)[0] ?? url);
  const [user, base] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))];
  const because = (kind: ServerProblem['kind'], text: string) => problem(kind, text, cause);
  switch (code) {
    case '28P01':
      return because('wrong', `${server} refuses the password of "${user}"; correct user or password`);
    case '28000':
      return because(
        'wrong',
        `${server} lets "${user}" not in (${words}); correct the user, or append ?sslmode=verify-full`,
      );
    case '3D000':
      return because(
        'wrong',
        `Postgres at ${server} has no database "${base}"; correct it, or: create database "${base}"`,
      );
    case '42501':
      return because('wrong', `${words}; take a role that may create roles and schemas`);
  }
  // insufficient_resources, operator_intervention, system_error: a server with problems of its own.
  if (/^(53|57|58)/.test(code)) return because('starting', `Postgres at ${server} says: ${words}; see its log`);
  if (/timeout/i.test(message)) {
    const seconds = answerMs / 1000;
    return because('away', `${server} says nothing that Postgres would, for ${seconds} s; correct host and port`);
  }
  if (isBroken(cause) || message.includes('Connection terminated')) {
    const advice = 'correct host and port where that is no Postgres, else see its log';
    return because('starting', `${server} hangs up; ${advice}`);
  }
  return (
    connectionProblem('DATABASE_URL', server, code) ??
    because('wrong', `Postgres at ${server} cannot be used: ${words}; correct the URL or the server`)
  );
};
