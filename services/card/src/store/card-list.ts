import type { CardFilters } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type CardRow, cardColumns } from './card-rows.ts';
import type { Reader, Tables } from './database.ts';

/** Right after this card of this column a page begins. */
export interface PlaceInBoard {
  columnId: string;
  columnPosition: number;
  cardPosition: number;
}

/** A card with what the cursor after it needs to know of its column. */
export type ListedCard = CardRow & { column_position: number; column_version: number };

/**
 * Reads a page of cards of a board by column, then by position; both are unique, so that no further key is needed (api-decisions,
 * "Cards"). Each column is read from its own index and only as far as the page needs.
 * @param after where the page before ended
 */
export const listCards = (
  tx: Reader,
  workspaceId: string,
  boardId: string,
  { filters, after, limit }: { filters: CardFilters; after: PlaceInBoard | undefined; limit: number },
): Promise<ListedCard[]> => {
  const listed = tx
    .selectFrom('columns')
    .innerJoinLateral(
      (outer) => {
        let cards = outer
          .selectFrom('cards')
          .selectAll('cards')
          .whereRef('cards.workspace_id', '=', 'columns.workspace_id')
          .whereRef('cards.column_id', '=', 'columns.id')
          .where((eb) => eb.and(conditions(eb, filters)));
        if (after) {
          // An expression over the column's row alone, so that the index serves it as a lower bound.
          const bound = sql<number>`case when ${sql.ref('columns.id')} = ${after.columnId}
            then ${after.cardPosition}::float8 else '-infinity'::float8 end`;
          cards = cards.where('cards.position', '>', bound);
        }
        return cards
          .orderBy('cards.position')
          .limit(limit + 1)
          .as('cards');
      },
      (join) => join.onTrue(),
    )
    .innerJoin('workstreams', (join) =>
      join
        .onRef('workstreams.workspace_id', '=', 'cards.workspace_id')
        .onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .select([...cardColumns, 'columns.position as column_position', 'columns.version as column_version'])
    .where('columns.workspace_id', '=', workspaceId)
    .where('columns.board_id', '=', boardId)
    .$if(filters.column_id !== undefined, (query) => query.where('columns.id', '=', filters.column_id as string))
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('columns.position', '>', (after as PlaceInBoard).columnPosition),
          eb('columns.id', '=', (after as PlaceInBoard).columnId),
        ]),
      ),
    )
    .orderBy('columns.position')
    .orderBy('cards.position');
  return readPageRows(tx, listed, { limit, texts: ['title', 'description'] });
};

type Cards = ExpressionBuilder<Tables & { columns: Tables['columns'] }, 'cards'>;

/** The filters of `GET /boards/{id}/cards`; all of them must hold. */
function conditions(eb: Cards, filters: CardFilters) {
  const {
    assignee_user_id,
    label_id,
    workstream_id,
    priority,
    archived,
    completed,
    blocked,
    due_before,
    due_after,
    q,
  } = filters;
  const all: Expression<SqlBool>[] = [eb('cards.archived_at', archived ? 'is not' : 'is', null)];
  if (assignee_user_id) all.push(sql<boolean>`${assignee_user_id}::uuid = any (cards.assignee_user_ids)`);
  if (label_id) all.push(sql<boolean>`${label_id}::uuid = any (cards.label_ids)`);
  if (workstream_id) all.push(eb('cards.workstream_id', '=', workstream_id));
  if (priority) all.push(eb('cards.priority', '=', priority));
  if (completed !== undefined) all.push(eb('cards.completed_at', completed ? 'is not' : 'is', null));
  if (blocked !== undefined) all.push(blocked ? isBlocked(eb) : eb.not(isBlocked(eb)));
  if (due_before) all.push(eb('cards.due_date', '<', new Date(due_before)));
  if (due_after) all.push(eb('cards.due_date', '>', new Date(due_after)));
  // Both sides are folded by the same function, which leaves the wildcards and what escapes them as they are.
  if (q) all.push(sql<boolean>`cards.title_folded like fold_case(${`%${q.replaceAll(/[\\%_]/g, '\\$&')}%`})`);
  return all;
}

/** Has a dependency that is not completed. */
const isBlocked = (eb: Cards) =>
  eb.exists(
    eb
      .selectFrom('card_dependencies')
      .innerJoin('cards as dependency', (join) =>
        join
          .onRef('dependency.workspace_id', '=', 'card_dependencies.workspace_id')
          .onRef('dependency.id', '=', 'card_dependencies.depends_on_card_id'),
      )
      .select(sql`1`.as('one'))
      .whereRef('card_dependencies.workspace_id', '=', 'cards.workspace_id')
      .whereRef('card_dependencies.card_id', '=', 'cards.id')
      .where('card_dependencies.present', '=', true)
      .where('dependency.completed_at', 'is', null),
  );
