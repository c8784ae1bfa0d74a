import { sql } from 'kysely';
import type { Side, Unequal } from '../compare.ts';
import type { Tx } from '../sources.ts';
import { same } from './kinds.ts';

const living = (table: string): Side => ({
  service: 'card',
  query: `select workspace_id || '/' || id as key, '"exists"'::jsonb as value from ${table}`,
});
const buried = (service: 'dependency' | 'attachment', table: string): Side => ({
  service,
  query: `select workspace_id || '/' || id as key, to_jsonb('deleted at ' || deleted_at) as value
    from ${table} where deleted_at is not null`,
});

/** Takes the tombstone away that was seen, so that what it keeps out is let in again. */
const unbury =
  (table: string) =>
  (tx: Tx, { key, copy }: Unequal) => {
    const [workspaceId, id] = key.split('/');
    return sql`
      delete from ${sql.table(table)}
      where workspace_id = ${workspaceId} and id = ${id} and to_jsonb('deleted at ' || deleted_at) = ${copy}::jsonb`.execute(
      tx,
    );
  };

const notBoth = ({ owner, copy }: Unequal) => owner === undefined || copy === undefined;

/** What other services remember of deleted cards and subtasks: they take no dependency, cover or link for them. */
export const tombstones = [
  same(
    'no card that exists counts as deleted for dependencies',
    'card',
    living('card.cards'),
    buried('dependency', 'dependency.cards'),
    unbury('dependency.cards'),
    notBoth,
  ),
  same(
    'no card or subtask that exists counts as deleted for covers and linked files',
    'card or subtask',
    living('(select workspace_id, id from card.cards union all select workspace_id, id from card.subtasks) as living'),
    buried('attachment', 'attachment.tombstones'),
    unbury('attachment.tombstones'),
    notBoth,
  ),
];
