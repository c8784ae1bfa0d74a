import { consumers, projectDependency } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import { serveProjection } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { type DependencyWord, projectDependencies } from './statements/project-dependencies.ts';

/**
 * The projection of dependencies, from which lookups count and lists tell what is blocked; events that arrive together are
 * taken in in one statement.
 */
export const serveDependencies = (context: ServiceContext): void => {
  const words = coalesce<DependencyWord, boolean>({
    name: 'dependency_events',
    run: async (batch) => {
      const news = await context.db.statement((tx) => projectDependencies.run(tx, [JSON.stringify(batch)]));
      const open = new Set(news.map(keyOf));
      return batch.map((word) => open.delete(keyOf(word)));
    },
  });
  serveProjection(context, {
    told: projectDependency,
    consumer: consumers.cardOfDependencies,
    project: async ({ workspace_id, aggregate_version: version, data: { exists: present, ...ends } }) => ({
      applied: await words.submit({ workspace_id, ...ends, version, present }),
    }),
  });
};

const keyOf = ({ card_id, depends_on_card_id, version }: DependencyWord) =>
  `${card_id}>${depends_on_card_id}@${version}`;
