import { sql } from 'kysely';
import type { Mismatch, Side } from '../compare.ts';
import type { Tx } from '../sources.ts';
import { projectionCheck } from './kinds.ts';

/** A row of a projection, out of what `Mismatch` has of it. */
const rowOf = (table: string, json: string | undefined) =>
  sql`jsonb_populate_record(null::${sql.table(table)}, ${json ?? '{}'}::jsonb)`;

const workstreamsOf = (table: string) => `
  select workspace_id || '/' || id as key,
    jsonb_build_object('workspace_id', workspace_id, 'id', id, 'version', version, 'name', name, 'prefix', prefix) as value
  from ${table}`;

const untouchedWorkstream = sql`
  (own.workspace_id, own.id, own.version, own.name, own.prefix)
  = (seen.workspace_id, seen.id, seen.version, seen.name, seen.prefix)`;

/** Writes the owner's word over the word that was seen, so that an event that came in between is not undone. */
const repairWorkstream = (tx: Tx, { owner, copy }: Mismatch) => {
  if (copy === undefined) {
    return sql`
      insert into card.workstreams (workspace_id, id, version, name, prefix)
      select workspace_id, id, version, name, prefix from ${rowOf('card.workstreams', owner)}
      on conflict do nothing`.execute(tx);
  }
  if (owner === undefined) {
    // One that numbers were issued of is lost at its owner: its counter must not be lost too.
    return sql`
      delete from card.workstreams as own using ${rowOf('card.workstreams', copy)} as seen where ${untouchedWorkstream} and own.last_number = 0`.execute(
      tx,
    );
  }
  return sql`
    update card.workstreams as own set version = said.version, name = said.name, prefix = said.prefix
    from ${rowOf('card.workstreams', copy)} as seen, ${rowOf('card.workstreams', owner)} as said
    where ${untouchedWorkstream}`.execute(tx);
};

const edge = (present: string) => `
  select workspace_id || '/' || card_id || ' on ' || depends_on_card_id as key,
    jsonb_build_object('workspace_id', workspace_id, 'card_id', card_id, 'depends_on_card_id', depends_on_card_id,
      'version', version, 'present', ${present}) as value`;

const untouchedEdge = sql`
  (own.workspace_id, own.card_id, own.depends_on_card_id, own.version, own.present)
  = (seen.workspace_id, seen.card_id, seen.depends_on_card_id, seen.version, seen.present)`;

/** Writes the owner's word over the word that was seen; what the owner does not have stays behind as a tombstone. */
const repairEdge = (tx: Tx, { owner, copy }: Mismatch) => {
  if (copy === undefined) {
    return sql`
      insert into card.card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
      select workspace_id, card_id, depends_on_card_id, version, present from ${rowOf('card.card_dependencies', owner)}
      on conflict do nothing`.execute(tx);
  }
  if (owner === undefined) {
    return sql`
      update card.card_dependencies as own set present = false from ${rowOf('card.card_dependencies', copy)} as seen
      where ${untouchedEdge}`.execute(tx);
  }
  return sql`
    update card.card_dependencies as own set version = said.version, present = said.present
    from ${rowOf('card.card_dependencies', copy)} as seen, ${rowOf('card.card_dependencies', owner)} as said
    where ${untouchedEdge}`.execute(tx);
};

/** Writes the owner's word over the word that was seen; a link that the owner does not have is taken away. */
const repairLink = (tx: Tx, { owner, copy }: Mismatch) =>
  sql`
  update card.subtasks as own
  set linked_file = nullif(said.linked_file, 'null'), linked_file_version = coalesce(said.linked_file_version, own.linked_file_version)
  from ${rowOf('card.subtasks', copy)} as seen, ${rowOf('card.subtasks', owner)} as said
  where (own.workspace_id, own.id, own.linked_file_version) = (seen.workspace_id, seen.id, seen.linked_file_version)
    and own.linked_file is not distinct from nullif(seen.linked_file, 'null')`.execute(tx);

const existing = (table: string): Side => ({
  service: 'card',
  query: `select workspace_id || '/' || id as key, '"exists"'::jsonb as value from ${table}`,
});
const tombstonesIn = (service: 'dependency' | 'attachment', table: string): Side => ({
  service,
  query: `select workspace_id || '/' || id as key, to_jsonb('deleted at ' || deleted_at) as value
    from ${table} where deleted_at is not null`,
});

/** Takes the tombstone away that was seen, so that what it keeps out is let in again. */
const removeTombstone =
  (table: string) =>
  (tx: Tx, { key, copy }: Mismatch) => {
    const [workspaceId, id] = key.split('/');
    return sql`
      delete from ${sql.table(table)}
      where workspace_id = ${workspaceId} and id = ${id} and to_jsonb('deleted at ' || deleted_at) = ${copy}::jsonb`.execute(
      tx,
    );
  };

const notBoth = ({ owner, copy }: Mismatch) => owner === undefined || copy === undefined;

/** What a service shows of another one's data. Every repair writes the owner's word, row by row. */
export const projections = [
  projectionCheck(
    'the card service shows every workstream as the identifier service has it',
    'workstream',
    { service: 'identifier', query: workstreamsOf('identifier.workstreams') },
    { service: 'card', query: workstreamsOf('card.workstreams') },
    repairWorkstream,
  ),
  projectionCheck(
    'the card service counts every dependency that the dependency service has',
    'dependency of',
    { service: 'dependency', query: `${edge('true')} from dependency.edges` },
    { service: 'card', query: `${edge('present')} from card.card_dependencies` },
    repairEdge,
    ({ owner, copy }) => owner === undefined && copy?.includes('"present": false') === true,
  ),
  projectionCheck(
    'the card service shows every linked file as the attachment service has it',
    'linked file of subtask',
    {
      service: 'attachment',
      query: `select l.workspace_id || '/' || l.subtask_id as key,
          jsonb_build_object('workspace_id', l.workspace_id, 'id', l.subtask_id, 'linked_file_version', l.version,
            'linked_file', case when f.id is not null
              then jsonb_build_object('id', f.id, 'name', f.name, 'board_id', f.board_id) end) as value
        from attachment.linked_files l
        left join attachment.files f on (f.workspace_id, f.id) = (l.workspace_id, l.file_id)`,
    },
    {
      service: 'card',
      query: `select workspace_id || '/' || id as key,
          jsonb_build_object('workspace_id', workspace_id, 'id', id, 'linked_file_version', linked_file_version,
            'linked_file', linked_file) as value
        from card.subtasks`,
    },
    repairLink,
    // That the subtask exists is a reference; one without a word of the owner has no link.
    ({ owner, copy }) => copy === undefined || (owner === undefined && copy.includes('"linked_file": null')),
  ),
  projectionCheck(
    'no card that exists counts as deleted for dependencies',
    'card',
    existing('card.cards'),
    tombstonesIn('dependency', 'dependency.cards'),
    removeTombstone('dependency.cards'),
    notBoth,
  ),
  projectionCheck(
    'no card or subtask that exists counts as deleted for covers and linked files',
    'card or subtask',
    existing(
      '(select workspace_id, id from card.cards union all select workspace_id, id from card.subtasks) as existing',
    ),
    tombstonesIn('attachment', 'attachment.tombstones'),
    removeTombstone('attachment.tombstones'),
    notBoth,
  ),
];
