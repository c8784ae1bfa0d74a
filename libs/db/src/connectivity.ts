import { connectionProblem, databaseUrlProblem, hostUrls, ServerProblem, serversOf } from '@cardinal/runtime';
import type { Client } from 'pg';
import { isBroken } from './errors.ts';
import { isStandby } from './hosts.ts';
import { poolsTransactions } from './pooler.ts';

const answerMs = 3_000;

interface Demands {
  /** The oldest major version of Postgres that will do. */
  oldest?: number;
  /** Whether the role must be one that makes roles and schemas. */
  mayCreate?: boolean;
}

/**
 * Connects once and looks whether the database will do; where the URL names several hosts, whether one of them does.
 * @throws ServerProblem where it will not, within a few seconds for each host
 */
export const checkDatabase = async (url: string, demands: Demands = {}): Promise<void> => {
  const misspelt = databaseUrlProblem(url);
  if (misspelt) throw wrong(misspelt);
  const problems: ServerProblem[] = [];
  for (const one of hostUrls(url)) {
    const problem = await checkHost(one, demands).catch((error) => databaseProblem(error, one));
    if (!problem) return;
    problems.push(problem);
  }
  throw problems.length > 1 ? noneOf(problems) : problems[0];
};

/** As hopeful as the most hopeful of the problems, one for each host. */
const noneOf = (problems: ServerProblem[]): ServerProblem => {
  const kinds = new Set(problems.map(({ kind }) => kind));
  const kind = (['starting', 'away', 'wrong'] as const).find((one) => kinds.has(one)) ?? 'wrong';
  return problem(kind, problems.map(({ message }) => message.replace('DATABASE_URL: ', '')).join('; '));
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
    if (lack) throw wrong(`${server} ${lack}`);
    await second.connect();
    if (await poolsTransactions(client, second)) {
      throw wrong(
        `a pooler at ${serversOf(url)} gives each transaction another connection; ` +
          'set it to session pooling (PgBouncer: pool_mode = session), or name Postgres itself',
      );
    }
  } finally {
    // What never connected does not say that it has ended.
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

const problem = (kind: ServerProblem['kind'], text: string, cause?: unknown) =>
  new ServerProblem(kind, `DATABASE_URL: ${text}`, { cause });
const wrong = (text: string, cause?: unknown) => problem('wrong', text, cause);

/** What an error of the database means for the operator who set `DATABASE_URL`. */
export const databaseProblem = (error: unknown, url: string): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  // A refusal of the catalogue has the database's own error as its cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message = String(cause) } = cause as { code?: string; message?: string };
  const [server, words] = [serversOf(url), message.split('\n', 1)[0]];
  const { username, pathname } = new URL(hostUrls(url)[0] ?? url);
  const [user, base] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))];
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
  if (isBroken(cause) || message.includes('Connection terminated')) {
    const advice = 'correct host and port where that is no Postgres, else see its log';
    return problem('starting', `${server} hangs up; ${advice}`, cause);
  }
  return (
    connectionProblem('DATABASE_URL', server, code) ??
    wrong(`Postgres at ${server} cannot be used: ${words}; correct the URL or the server`, cause)
  );
};
