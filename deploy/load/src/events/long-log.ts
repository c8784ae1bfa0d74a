import { runStatements, waitFor } from '@cardinal/servers';
import { v7 } from 'uuid';
import { create, fire, type Shot, send } from '../load.ts';
import { databaseOf, type Environment, type System } from '../systems.ts';

/** What a page costs in a log of so many events. */
export type LogCost = Awaited<ReturnType<typeof measureLogs>>[number];

/** Days over which each log is spread, today included: fewer than are kept. */
const days = 28;
/** Events of the card whose activity is read, in each log. Nobody else did them. */
const ofCard = 1_000;
const patienceMs = 30_000;

/** A workspace whose log is to be so long. */
interface LongLog {
  events: number;
  workspace: string;
  system: System;
  board: string;
  card: string;
  /** Did what happened to the card. */
  actor: string;
}

const startLog = async ({ sign }: Environment, system: System, url: string, events: number): Promise<LongLog> => {
  const [workspace, user] = [v7(), v7()];
  const token = await sign({ workspace, user, scope: 'kanban:read kanban:write', expiresIn: 12 * 3_600 });
  const own = { ...system, token };
  const board = await create(own, '/boards', { name: 'Long ago' });
  const column = await create(own, `/boards/${board}/columns`, { name: 'Done' });
  const card = await create(own, `/columns/${column}/cards`, { title: 'Much happened' });
  // What the feeds have is taken: from now on the log is ours.
  const isTaken = `select from event.events where workspace_id = '${workspace}' and card_id = '${card}'`;
  const taken = await waitFor(async () => (await runStatements(url, [isTaken])).length > 0 || undefined, {
    timeoutMs: patienceMs,
  });
  if (!taken) throw new Error('the log does not take what happens');
  return { events, workspace, system: own, board, card, actor: v7() };
};

/** The numbers of a log that are of a day, of which the last one is today. */
const numbersOf = ({ events }: LongLog, day: number) =>
  [Math.floor((events * day) / days) + 1, Math.floor((events * (day + 1)) / days)] as const;

/** Deletions of cards: the shortest events, so that a page shows what finding it costs. One in so many is of the card, by its actor. */
const insertDay = (log: LongLog, table: string, date: string, day: number) => {
  const { events, workspace, board, card, actor } = log;
  const [from, to] = numbersOf(log, day);
  const every = Math.max(1, Math.floor(events / ofCard));
  const text =
    `'{"id":"' || id || '","seq":' || n || ',"type":"card.deleted","at":"${date}T12:00:00.000Z","actor":{"user_id":"' || actor || '"},` +
    `"request_id":"' || id || '","subject":{"type":"card","id":"' || card || '","version":3},"card":{"id":"' || card ||` +
    `'","identifier":"MAIN-' || n || '"},"board_id":"${board}","changed":[],"previous":{},"data":null}'`;
  return `
    insert into ${table} (workspace_id, seq, logged_on, id, type, card_id, board_id, source, source_seq, event)
    select '${workspace}', n, '${date}', id, 'card.deleted', card, '${board}', 'card', n, (${text})::json
    from (select n, uuidv7() as id, case when n % ${every} = 0 then '${card}'::uuid else uuidv7() end as card,
        case when n % ${every} = 0 then '${actor}'::uuid else uuidv7() end as actor
      from generate_series(${from}, ${to}) as n) as news`;
};

/** Fills logs as the service's own tables hold them, a partition after the other, each before it gets its indexes. */
const fill = async (url: string, logs: readonly LongLog[], log: (line: string) => void): Promise<void> => {
  const workspaces = logs.map(({ workspace }) => `'${workspace}'`).join();
  await runStatements(url, [
    `delete from event.events where workspace_id in (${workspaces})`,
    `delete from event.days where workspace_id in (${workspaces})`,
  ]);
  const today = Date.parse(new Date().toISOString().slice(0, 10));
  const dateOf = (day: number) => new Date(today - (days - 1 - day) * 86_400_000).toISOString().slice(0, 10);
  for (let day = 0; day < days; day += 1) {
    const [date, next] = [dateOf(day), dateOf(day + 1)];
    const table = `event.events_${date.replaceAll('-', '_')}`;
    const [known] = await runStatements(url, [`select to_regclass('${table}') is not null as is_there`]);
    const { is_there: isThere } = known as { is_there: boolean };
    await runStatements(url, [
      ...(isThere ? [] : [`create table ${table} (like event.events)`]),
      ...logs.map((one) => insertDay(one, table, date, day)),
      ...(isThere
        ? []
        : [`alter table event.events attach partition ${table} for values from ('${date}') to ('${next}')`]),
      ...logs.map((one) => `insert into event.days values ('${one.workspace}', '${date}', ${numbersOf(one, day)[0]})`),
    ]);
    log(`${day + 1} of ${days} days are filled`);
  }
  await runStatements(url, [
    ...logs.map(
      ({ workspace, events }) =>
        `update event.logs set last = ${events}, logged_on = '${dateOf(days - 1)}' where workspace_id = '${workspace}'`,
    ),
    'vacuum analyze event.events',
  ]);
};

const pageSize = 100;

/** @throws Error where a page is not full: an empty one is had faster */
const requireFull = async (system: System, shot: Shot): Promise<void> => {
  const { data } = await send<{ data: unknown[] }>(system, shot);
  if (data.length !== pageSize) throw new Error(`${shot.path} has ${data.length} events`);
};

/** Milliseconds that Postgres took for each statement that reads events, since the last call. */
const statementMs = async ({ postgres }: Environment): Promise<number> => {
  const [row] = (await runStatements(postgres.url, [
    'create extension if not exists pg_stat_statements',
    `select coalesce(sum(total_exec_time) / sum(calls), 0)::float8 as ms from pg_stat_statements
     where query like 'select seq, id, type, card_id%'`,
  ])) as { ms: number }[];
  await runStatements(postgres.url, ['select pg_stat_statements_reset()']);
  return row?.ms ?? 0;
};

/**
 * Measures what pages cost in logs of different length, side by side: from anywhere, from the beginning, at the end, a
 * card's activity, and what one user did.
 * @param sizes numbers of events
 */
export const measureLogs = async (
  environment: Environment,
  system: System,
  { sizes, seconds, clients }: { sizes: readonly number[]; seconds: number; clients: number },
  log: (line: string) => void,
) => {
  if (sizes.length === 0) return [];
  const url = databaseOf(environment, system);
  const logs: LongLog[] = [];
  for (const events of sizes) logs.push(await startLog(environment, system, url, events));
  await fill(url, logs, log);
  const costs = [];
  for (const { events, card, actor, system: own } of logs) {
    const get = (path: () => string) => (): Shot => ({ method: 'GET', path: path() });
    const from = (after: number) => `/events?limit=${pageSize}&after=${after}`;
    const measured = {
      'a page of 100 from anywhere': get(() => from(Math.floor(Math.random() * (events - pageSize)))),
      'the first page': get(() => from(0)),
      'the last page': get(() => from(events - pageSize)),
      'the activity of a card, 100 of 1,000': get(() => `/cards/${card}/events?limit=${pageSize}`),
      'what one user did, 100 of 1,000': get(() => `/events?actor=${actor}&limit=${pageSize}`),
    };
    for (const [path, next] of Object.entries(measured)) {
      await requireFull(own, next());
      await fire(own, { clients, seconds: 1, next });
      await statementMs(environment);
      const { perSecond, p50, p99, failures } = await fire(own, { clients, seconds, next });
      const statement = await statementMs(environment);
      costs.push({ events, path, perSecond, p50, p99, statement, failures });
      log(
        `${events.toLocaleString('en')} events  ${path}: p50 ${p50.toFixed(2)} ms, statement ${statement.toFixed(3)} ms`,
      );
    }
  }
  return costs;
};
