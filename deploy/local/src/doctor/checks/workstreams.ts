import { sql } from 'kysely';
import type { Unequal } from '../compare.ts';
import type { Tx } from '../sources.ts';
import { same } from './kinds.ts';

const columns = (table: string) => `
  select workspace_id || '/' || id as key,
    jsonb_build_object('workspace_id', workspace_id, 'id', id, 'version', version, 'name', name, 'prefix', prefix) as value
  from ${table}`;

const row = (json: string | undefined) => sql`jsonb_populate_record(null::card.workstreams, ${json ?? '{}'}::jsonb)`;
const untouched = sql`
  (own.workspace_id, own.id, own.version, own.name, own.prefix)
  = (seen.workspace_id, seen.id, seen.version, seen.name, seen.prefix)`;

/** Writes the owner's word over the word that was seen, so that an event that came in between is not undone. */
const mend = (tx: Tx, { owner, copy }: Unequal) => {
  if (copy === undefined) {
    return sql`
      insert into card.workstreams (workspace_id, id, version, name, prefix)
      select workspace_id, id, version, name, prefix from ${row(owner)}
      on conflict do nothing`.execute(tx);
  }
  if (owner === undefined) {
    // One that numbers were issued of is lost at its owner: its counter must not be lost too.
    return sql`
      delete from card.workstreams as own using ${row(copy)} as seen where ${untouched} and own.last_number = 0`.execute(
      tx,
    );
  }
  return sql`
    update card.workstreams as own set version = said.version, name = said.name, prefix = said.prefix
    from ${row(copy)} as seen, ${row(owner)} as said
    where ${untouched}`.execute(tx);
};

/** The names that cards show of their workstreams. */
export const workstreams = same(
  'the card service shows every workstream as the identifier service has it',
  'workstream',
  { service: 'identifier', query: columns('identifier.workstreams') },
  { service: 'card', query: columns('card.workstreams') },
  mend,
);
