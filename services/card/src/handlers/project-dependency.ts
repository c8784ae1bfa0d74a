import type { projectDependency as contract } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { type DependencyWord, projectDependencies } from '../store/statements/project-dependencies.ts';

/**
 * Takes a dependency's event in before its writer is answered, so that the next lookup counts it; events that arrive
 * together in one statement.
 */
export const projectDependency = ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> => {
  const words = coalesce<DependencyWord, boolean>({
    run: async (batch) => {
      const news = await db.statement((tx) => projectDependencies.run(tx, [JSON.stringify(batch)]));
      const open = new Set(news.map(keyOf));
      return batch.map((word) => open.delete(keyOf(word)));
    },
  });
  return async ({ workspace_id, aggregate_version: version, data: { exists: present, ...ends } }) => ({
    applied: await words.submit({ workspace_id, ...ends, version, present }),
  });
};

const keyOf = ({ card_id, depends_on_card_id, version }: DependencyWord) =>
  `${card_id}>${depends_on_card_id}@${version}`;
