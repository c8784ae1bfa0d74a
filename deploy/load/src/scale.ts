import { runStatements } from '@cardinal/servers';
import { v7 } from 'uuid';
import { fireCounting } from './cost.ts';
import { create, fire, type Shot } from './load.ts';
import type { Dataset, Paths } from './paths.ts';
import { databaseOf, type Environment, type System } from './systems.ts';

/** What a request costs on one path with so many cards on the board: CPU of all but the load generator and p50, in ms. */
export type ScaleCost = Awaited<ReturnType<typeof measureScale>>[number];

/** Cards that a sparse filter finds; they stand at the end of the board, where a walk from its start meets them last. */
const marked = 3;
const rowsAStatement = 100_000;

/** Fills the measured board with cards up to a number, as the services' own tables hold them, and marks the last ones. */
const filler = (
  environment: Environment,
  system: System,
  dataset: Dataset,
  marks: { label: string; assignee: string },
) => {
  const { workspace, user } = environment;
  const url = databaseOf(environment, system);
  const [stream, column] = [v7(), v7()];
  const insert = (from: number, to: number) => `
    with made as (
      insert into card.cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at,
        updated_at, workstream_id, identifier)
      select '${workspace}', uuidv7(), 1, '${dataset.board}', '${column}', n, 'Filling number ' || n, '${user}', now(),
        now() - interval '1 second' * (${to} - n), '${stream}', 'FILL-' || n
      from generate_series(${from}, ${to}) as n
      returning id, identifier)
    insert into identifier.identifiers (workspace_id, prefix, number, workstream_id, card_id, assigned_by, card_version, assigned_at)
    select '${workspace}', 'FILL', split_part(identifier, '-', 2)::bigint, '${stream}', id, '${user}', 1, now() from made`;
  const last = `select id from card.cards where workspace_id = '${workspace}' and column_id = '${column}'
    order by position desc limit ${marked}`;

  let filled = 0;
  return async (cards: number): Promise<void> => {
    if (filled === 0) {
      await runStatements(url, [
        `insert into identifier.workstreams (workspace_id, id, version, name, prefix, is_default, created_at, updated_at)
         values ('${workspace}', '${stream}', 1, 'Filling', 'FILL', false, now(), now())`,
        `insert into card.workstreams (workspace_id, id, version, name, prefix) values ('${workspace}', '${stream}', 1, 'Filling', 'FILL')`,
        `insert into card.columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
         values ('${workspace}', '${column}', 1, '${dataset.board}', 'Filling', 1e6, now(), now())`,
      ]);
    }
    for (; filled < cards; filled += Math.min(rowsAStatement, cards - filled)) {
      await runStatements(url, [insert(filled + 1, Math.min(filled + rowsAStatement, cards))]);
    }
    await runStatements(url, [
      `update identifier.workstreams set granted_through = ${cards} where id = '${stream}'`,
      `update card.workstreams set granted_through = ${cards}, last_number = ${cards} where id = '${stream}'`,
      `update card.cards set label_ids = '{}', assignee_user_ids = '{}', title = 'Filling'
       where workspace_id = '${workspace}' and '${marks.label}' = any(label_ids)`,
      `update card.cards set label_ids = '{${marks.label}}', assignee_user_ids = '{${marks.assignee}}', title = 'A zebra crosses'
       where workspace_id = '${workspace}' and id in (${last})`,
      `update card.card_dependencies set present = false where workspace_id = '${workspace}'`,
      `insert into card.card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
       select '${workspace}', id, (select id from card.cards where workspace_id = '${workspace}' and identifier = 'FILL-1'),
         1, true
       from (${last}) as marked on conflict (workspace_id, card_id, depends_on_card_id) do update set present = true`,
      'vacuum analyze',
      // Otherwise Postgres writes what was filled while the first paths are measured, and they bear the cost.
      'checkpoint',
    ]);
  };
};

/**
 * Measures what a request costs while the board grows: every path, and lists whose filters find next to nothing.
 * @param sizes numbers of cards, rising
 */
export const measureScale = async (
  environment: Environment,
  { system, paths, dataset }: { system: System; paths: Paths; dataset: Dataset },
  { sizes, seconds, clients }: { sizes: readonly number[]; seconds: number; clients: number },
  log: (line: string) => void,
) => {
  const label = await create(system, '/labels', { name: 'Sparse', color: '#aa3344' });
  const marks = { label, assignee: v7() };
  const lists = `/boards/${dataset.board}/cards?limit=50`;
  const list = (filter: string) => (): Shot => ({ method: 'GET', path: `${lists}&${filter}` });
  const search = (query: string) => (): Shot => ({ method: 'GET', path: `/cards?limit=50&archived=any&${query}` });
  const measured: Record<string, () => Shot> = {
    'list, sparse label': list(`label_id=${marks.label}`),
    'list, sparse assignee': list(`assignee_user_id=${marks.assignee}`),
    'list, sparse q': list('q=zebra'),
    'list, sparse blocked': list('blocked=true'),
    'search, newest': search('sort=-created'),
    'search, updated in the last minute': search(`updated_after=${new Date(Date.now() - 60_000).toISOString()}`),
    'search, updated first': search('sort=updated'),
    'search, updated last': search('sort=-updated'),
    'search, 50 by name': search(Array.from({ length: 50 }, (_, at) => `card=FILL-${at * 7 + 1}`).join('&')),
    'labels by name': () => ({ method: 'GET', path: '/labels?name=sparse' }),
    // After the lists, for they add dependencies, and with them cards that are blocked.
    ...paths.next,
  };
  const fill = filler(environment, system, dataset, marks);
  const costs = [];
  for (const cards of sizes) {
    log(`filling the board up to ${cards.toLocaleString('en')} cards`);
    await fill(cards);
    for (const [path, next] of Object.entries(measured)) {
      await fire(system, { clients, seconds: 1, next });
      const leg = await fireCounting(environment, system, { clients, seconds, next });
      const { 'load generator': _, ...ofCardinal } = leg.cpuMs;
      const cpuMs = Object.values(ofCardinal).reduce((sum, ms) => sum + ms, 0);
      costs.push({ path, cards, cpuMs, p50: leg.p50 });
      log(`${cards.toLocaleString('en')} cards  ${path}: ${cpuMs.toFixed(3)} CPU ms, p50 ${leg.p50.toFixed(2)} ms`);
    }
  }
  return costs;
};
