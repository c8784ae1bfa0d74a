import { consumers, projectDependency } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { serveProjection } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import type { RowOf } from '../database.ts';

/** What the dependency service says of a dependency; the version is that of the change that made it so. */
type DependencyUpdate = RowOf<'card_dependencies'>;

/**
 * Stores the state of dependencies that the dependency service reports, only if newer. The version makes it repeatable
 * without an inbox; a removed dependency leaves a tombstone, so that an older update cannot bring it back.
 *
 * Rows are locked in the order of their key, as where a card is deleted with its dependencies.
 *
 * $1 the updates
 * @returns those that were newer
 */
export const projectDependencies = prepared<DependencyUpdate>(
  'project-dependencies',
  `insert into card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
-- Of several words on one dependency the latest one counts.
select distinct on (workspace_id, card_id, depends_on_card_id) workspace_id, card_id, depends_on_card_id, version, present
from json_to_recordset($1) as news (
  workspace_id uuid, card_id uuid, depends_on_card_id uuid, version bigint, present boolean)
-- Most words come twice, at once and by the stream, and need no lock the second time.
where not coalesce((
  select known.version >= news.version from card_dependencies as known
  where known.workspace_id = news.workspace_id and known.card_id = news.card_id
    and known.depends_on_card_id = news.depends_on_card_id), false)
order by workspace_id, card_id, depends_on_card_id, version desc
on conflict (workspace_id, card_id, depends_on_card_id) do update
  set version = excluded.version, present = excluded.present
  where card_dependencies.version < excluded.version
returning workspace_id, card_id, depends_on_card_id, version, present`,
);

/**
 * The projection of dependencies, from which look-ups take their counts and lists learn what is blocked. Events that
 * arrive together are stored by one statement.
 */
export const serveDependencies = (context: ServiceContext): void => {
  const updates = coalesce<DependencyUpdate, boolean>({
    name: 'dependency_events',
    run: async (batch) => {
      const news = await context.db.statement((tx) => projectDependencies.run(tx, [JSON.stringify(batch)]));
      const open = new Set(news.map(keyOf));
      return batch.map((update) => open.delete(keyOf(update)));
    },
  });
  serveProjection(context, {
    request: projectDependency,
    consumer: consumers.cardOfDependencies,
    project: async ({ workspace_id, aggregate_version: version, data: { exists: present, ...ends } }) => ({
      applied: await updates.submit({ workspace_id, ...ends, version, present }),
    }),
  });
};

const keyOf = ({ card_id, depends_on_card_id, version }: DependencyUpdate) =>
  `${card_id}>${depends_on_card_id}@${version}`;
