import type { listPeople } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { people, type Reader, type ServiceContext, type Tables } from '../context.ts';
import { toPerson } from './rows.ts';
import { behind, wordsIn } from './words.ts';

type Asked = z.output<(typeof listPeople)['request']>;

const hasWord = (prefix: string) => (eb: ExpressionBuilder<Tables, 'people'>) =>
  eb.exists(
    eb
      .selectFrom('people_words as other')
      .whereRef('other.workspace_id', '=', 'people.workspace_id')
      .whereRef('other.person_id', '=', 'people.id')
      .where('other.word', '>=', prefix)
      .where('other.word', '<', behind(prefix))
      .select('other.person_id'),
  );

/** People in the order of their ids, or those with some ids or one address, which are few. */
const byId = (tx: Reader, { workspace_id, filters: { q, email, user_id } }: Asked) => {
  const ids = user_id === undefined ? undefined : [user_id].flat();
  let all = people.in(tx, workspace_id);
  if (ids) all = all.where('id', 'in', ids);
  if (email !== undefined) all = all.where('email', '=', email);
  return wordsIn(q ?? '').reduce((query, word) => query.where(hasWord(word)), all);
};

/**
 * People with words that begin with those asked for, in the order of the words. The index is read from the longest one on,
 * and each person counts with the first word that begins so: a page reads about as many entries as it has people.
 */
const byWord = (tx: Reader, workspaceId: string, words: readonly string[]) => {
  const [longest = '', ...others] = words.toSorted((a, b) => b.length - a.length);
  const found = tx
    .selectFrom('people_words')
    .innerJoin('people', (on) =>
      on
        .onRef('people.workspace_id', '=', 'people_words.workspace_id')
        .onRef('people.id', '=', 'people_words.person_id'),
    )
    .where('people_words.workspace_id', '=', workspaceId)
    .where('word', '>=', longest)
    .where('word', '<', behind(longest))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('people_words as earlier')
            .whereRef('earlier.workspace_id', '=', 'people_words.workspace_id')
            .whereRef('earlier.person_id', '=', 'people_words.person_id')
            .where('earlier.word', '>=', longest)
            .whereRef('earlier.word', '<', 'people_words.word')
            .select('earlier.person_id'),
        ),
      ),
    )
    .selectAll('people')
    .select(['word', 'person_id']);
  return others.reduce((query, word) => query.where(hasWord(word) as never), found);
};

/** One page of people. */
export const readPeople = async ({ db }: Pick<ServiceContext, 'db'>, asked: Asked) => {
  const { workspace_id, filters, page: request } = asked;
  const { q, email, user_id } = filters;
  const scope = ['people', workspace_id, q ?? null, email ?? null, user_id ?? null] as const;
  const words = wordsIn(q ?? '');
  if (q === undefined || email !== undefined || user_id !== undefined) {
    const page = openPage(scope, [sortKey.id], request);
    // A text without a letter or digit finds nobody.
    const isNone = q !== undefined && words.length === 0;
    const rows = isNone ? [] : await db.read((tx) => readPageRows(tx, byId(tx, asked), { by: ['id'], ...page }));
    return page.cut(rows, toPerson, ({ id }) => [id]);
  }
  const page = openPage(scope, [z.string().max(64), sortKey.id], request);
  const rows =
    words.length === 0
      ? []
      : await db.read((tx) =>
          readPageRows(tx, byWord(tx, workspace_id, words), { by: ['word', 'person_id'], ...page }),
        );
  return page.cut(rows, toPerson, ({ word, id }) => [word, id]);
};
