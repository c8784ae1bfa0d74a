import { sql } from 'kysely';
import type { Unequal } from '../compare.ts';
import type { Tx } from '../sources.ts';
import { known, mendDeletion, noRows, same } from './kinds.ts';

const edge = (present: string) => `
  select workspace_id || '/' || card_id || ' on ' || depends_on_card_id as key,
    jsonb_build_object('workspace_id', workspace_id, 'card_id', card_id, 'depends_on_card_id', depends_on_card_id,
      'version', version, 'present', ${present}) as value`;

const row = (json: string | undefined) =>
  sql`jsonb_populate_record(null::card.card_dependencies, ${json ?? '{}'}::jsonb)`;
const untouched = sql`
  (own.workspace_id, own.card_id, own.depends_on_card_id, own.version, own.present)
  = (seen.workspace_id, seen.card_id, seen.depends_on_card_id, seen.version, seen.present)`;

/** Writes the owner's word over the word that was seen; what the owner does not have stays behind as a tombstone. */
const mend = (tx: Tx, { owner, copy }: Unequal) => {
  if (copy === undefined) {
    return sql`
      insert into card.card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
      select workspace_id, card_id, depends_on_card_id, version, present from ${row(owner)}
      on conflict do nothing`.execute(tx);
  }
  if (owner === undefined) {
    return sql`
      update card.card_dependencies as own set present = false from ${row(copy)} as seen
      where ${untouched}`.execute(tx);
  }
  return sql`
    update card.card_dependencies as own set version = said.version, present = said.present
    from ${row(copy)} as seen, ${row(owner)} as said
    where ${untouched}`.execute(tx);
};

/** Which card waits for which. */
export const dependencies = [
  same(
    'the card service counts every dependency that the dependency service has',
    'dependency of',
    { service: 'dependency', query: `${edge('true')} from dependency.edges` },
    { service: 'card', query: `${edge('present')} from card.card_dependencies` },
    mend,
    ({ owner, copy }) => owner === undefined && copy?.includes('"present": false') === true,
  ),
  known(
    'every card that has dependencies exists',
    'card',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.cards` },
    {
      service: 'dependency',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value from dependency.edges
        union select workspace_id || '/' || depends_on_card_id, 'true'::jsonb from dependency.edges`,
    },
    mendDeletion,
  ),
  noRows(
    'every card stands behind all that it depends on, so there is no cycle',
    'dependency',
    `select 'card ' || e.workspace_id || '/' || e.card_id || ' stands at ' || coalesce(own.position::text, 'no place')
        || ', card ' || e.depends_on_card_id || ' at ' || coalesce(other.position::text, 'no place') as what
      from dependency.edges e
      left join dependency.cards own on (own.workspace_id, own.id) = (e.workspace_id, e.card_id)
      left join dependency.cards other on (other.workspace_id, other.id) = (e.workspace_id, e.depends_on_card_id)
      where (own.position > other.position) is not true`,
  ),
];
