import { runStatements, serveHttp, waitFor } from '@cardinal/servers';
import { v7 } from 'uuid';
import { send } from '../load.ts';
import { databaseOf, type Environment, type System } from '../systems.ts';

/** So long may a backlog take, ms. */
const patienceMs = 30 * 60_000;

/** How long the receiver takes for an answer, ms. */
const answerMs = 1;

/** Counts what is sent to it, and takes everything. */
const startCounter = async () => {
  let taken = 0;
  const receiver = await serveHttp((request, response) => {
    request.resume().on('end', () => {
      setTimeout(() => {
        taken += 1;
        response.writeHead(204).end();
      }, answerMs);
    });
  });
  return { ...receiver, taken: () => taken };
};

/** Cards that the changes of a backlog are spread over. */
const cards = 1_000;

/** Copies the last edit of a card so many times into the feed of the card service, as one after the other of other cards. */
const fillFeed = (workspace: string, count: number) => `
  with template as (
    select event::text as text, card_id, board_id from card.changes
    where workspace_id = '${workspace}' and type = 'card.updated' order by seq desc limit 1),
  cards as (select id, row_number() over () - 1 as at
    from (select id from card.cards where workspace_id = '${workspace}' limit ${cards}) as limited),
  feed as materialized (select last, last_id from card.feeds where workspace_id = '${workspace}'),
  news as materialized (select n, uuidv7() as id from generate_series(1, ${count}) as n),
  noted as (
    insert into card.changes (workspace_id, seq, id, previous_id, noted_at, type, card_id, board_id, event)
    select '${workspace}', feed.last + n, news.id, coalesce(lag(news.id) over (order by n), feed.last_id),
      statement_timestamp() + n * interval '1 microsecond', 'card.updated', cards.id, template.board_id,
      ('{"id":"' || news.id || '",' || substr(replace(text, template.card_id::text, cards.id::text), 46))::json
    from news, feed, template, cards where cards.at = n % (select count(*) from cards))
  update card.feeds set last = last + ${count}, before_id = (select id from news where n = ${count} - 1),
    last_id = (select id from news where n = ${count}),
    noted_at = statement_timestamp() + ${count} * interval '1 microsecond'
  where workspace_id = '${workspace}'`;

/** The number of the last event of the log. */
export const lastOfLog = async (environment: Environment, system: System): Promise<number> => {
  const { workspace } = environment;
  const select = `select last from event.logs where workspace_id = '${workspace}'`;
  const [row] = await runStatements(databaseOf(environment, system), [select]);
  return Number((row as { last: string } | undefined)?.last ?? 0);
};

/**
 * Has so many changes come at once, and measures how fast the log takes them, and how fast a webhook is sent them that was
 * paused meanwhile.
 */
export const measureBacklog = async (
  environment: Environment,
  system: System,
  { count }: { count: number },
  log: (line: string) => void,
) => {
  const { workspace, user, sign } = environment;
  const token = await sign({ workspace, user, scope: 'kanban:admin', expiresIn: 12 * 3_600 });
  const admin = { ...system, token };
  const receiver = await startCounter();
  try {
    const headers = { 'idempotency-key': v7() };
    const { data: webhook } = await send<{ data: { id: string; version: number } }>(admin, {
      method: 'POST',
      path: '/webhooks',
      headers,
      body: { url: receiver.url },
    });
    const setState = (version: number, state: string) =>
      send<{ data: { version: number } }>(admin, {
        method: 'PATCH',
        path: `/webhooks/${webhook.id}`,
        body: { state },
        headers: { 'if-match': `"${version}"` },
      });
    const { data: paused } = await setState(webhook.version, 'paused');
    const taken = receiver.taken();
    const before = await lastOfLog(environment, system);
    await runStatements(databaseOf(environment, system), [fillFeed(workspace, count)]);
    // What was noted by hand nudged nobody.
    const label = { name: `Backlog ${v7()}`, color: '#336699' };
    await send(admin, { method: 'POST', path: '/labels', headers: { 'idempotency-key': v7() }, body: label });
    log(`${count.toLocaleString('en')} changes at once: the log takes them`);
    const filledIn = await secondsUntil(async () => (await lastOfLog(environment, system)) >= before + count);
    await setState(paused.version, 'active');
    log('a webhook is sent them');
    const sentIn = await secondsUntil(async () => receiver.taken() >= taken + count);
    return { count, loggedPerSecond: count / filledIn, sentPerSecond: count / sentIn };
  } finally {
    receiver.stop();
  }
};

const secondsUntil = async (isSo: () => Promise<boolean>): Promise<number> => {
  const began = performance.now();
  const isDone = await waitFor(async () => (await isSo()) || undefined, { timeoutMs: patienceMs });
  if (!isDone) throw new Error('a backlog is not worked off');
  return (performance.now() - began) / 1_000;
};
