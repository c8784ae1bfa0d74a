import { type RawBuilder, sql } from 'kysely';
import type { Mismatch, Side } from '../compare.ts';
import type { Tx } from '../sources.ts';
import { projectionCheck, rows } from './kinds.ts';

/** A row of a projection, out of what `Mismatch` has of it. */
const rowOf = (table: string, json: string | undefined) =>
  sql`jsonb_populate_record(null::${sql.table(table)}, ${json ?? '{}'}::jsonb)`;

/** The columns of a row as the value that is compared. */
const objectOf = (columns: readonly string[]) =>
  `jsonb_build_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`;

/**
 * Replaces a row with the owner's, only if it is still the one that was compared: an event that came in between must
 * not be undone.
 * @param columns those that are compared, beside the keys
 * @param remove deletes a row, as `own`, that the owner does not have
 */
const repairRow =
  (table: string, keys: readonly string[], columns: readonly string[], remove: RawBuilder<unknown>) =>
  (tx: Tx, { owner, copy }: Mismatch) => {
    const all = [...keys, ...columns];
    const names = sql.raw(all.join(', '));
    const of = (row: string) => sql.raw(`(${all.map((name) => `${row}.${name}`).join(', ')})`);
    const untouched = sql`${of('own')} = ${of('seen')}`;
    const seen = sql`${rowOf(table, copy)} as seen`;
    if (copy === undefined) {
      return sql`
        insert into ${sql.table(table)} (${names}) select ${names} from ${rowOf(table, owner)}
        on conflict do nothing`.execute(tx);
    }
    if (owner === undefined) return sql`with seen as (select * from ${seen}) ${remove} and ${untouched}`.execute(tx);
    return sql`
      update ${sql.table(table)} as own set ${sql.raw(columns.map((name) => `${name} = said.${name}`).join(', '))}
      from ${seen}, ${rowOf(table, owner)} as said where ${untouched}`.execute(tx);
  };

const workstreamKeys = ['workspace_id', 'id'];
const workstreamColumns = ['version', 'name', 'prefix'];
const workstream = objectOf([...workstreamKeys, ...workstreamColumns]);

const edgeKeys = ['workspace_id', 'card_id', 'depends_on_card_id'];
const edgeOf = (table: string, present: string) =>
  rows(
    table,
    `${objectOf([...edgeKeys, 'version'])} || jsonb_build_object('present', ${present})`,
    `card_id || ' on ' || depends_on_card_id`,
  );

/**
 * Replaces a link with the owner's, only if it is still the one that was compared; removes one that the owner does not
 * have.
 */
const repairLink = (tx: Tx, { owner, copy }: Mismatch) =>
  sql`
  update card.subtasks as own
  set linked_file = nullif(said.linked_file, 'null'), linked_file_version = coalesce(said.linked_file_version, own.linked_file_version)
  from ${rowOf('card.subtasks', copy)} as seen, ${rowOf('card.subtasks', owner)} as said
  where (own.workspace_id, own.id, own.linked_file_version) = (seen.workspace_id, seen.id, seen.linked_file_version)
    and own.linked_file is not distinct from nullif(seen.linked_file, 'null')`.execute(tx);

const exists = `'"exists"'::jsonb`;
const tombstonesIn = (table: string): Side =>
  rows(table, `to_jsonb('deleted at ' || deleted_at)`, 'id', 'where deleted_at is not null');

/** Removes a tombstone, only if it is still the one that was compared, so that what it blocks is let in again. */
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

/** Data of another service that a service shows. Every repair copies the owner's, row by row. */
export const projections = [
  projectionCheck(
    'the card service shows every workstream as the identifier service has it',
    'workstream',
    rows('identifier.workstreams', workstream),
    rows('card.workstreams', workstream),
    repairRow(
      'card.workstreams',
      workstreamKeys,
      workstreamColumns,
      // One that numbers were issued of is lost at its owner: its counter must not be lost too.
      sql`delete from card.workstreams as own using seen where own.last_number = 0`,
    ),
  ),
  projectionCheck(
    'the card service counts every dependency that the dependency service has',
    'dependency of',
    edgeOf('dependency.edges', 'true'),
    edgeOf('card.card_dependencies', 'present'),
    repairRow(
      'card.card_dependencies',
      edgeKeys,
      ['version', 'present'],
      // A tombstone stays behind.
      sql`update card.card_dependencies as own set present = false from seen where true`,
    ),
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
    rows('card.subtasks', objectOf(['workspace_id', 'id', 'linked_file_version', 'linked_file'])),
    repairLink,
    // That the subtask exists is a reference; one of which the owner knows nothing has no link.
    ({ owner, copy }) => copy === undefined || (owner === undefined && copy.includes('"linked_file": null')),
  ),
  projectionCheck(
    'no card that exists counts as deleted for dependencies',
    'card',
    rows('card.cards', exists),
    tombstonesIn('dependency.cards'),
    removeTombstone('dependency.cards'),
    notBoth,
  ),
  projectionCheck(
    'no card or subtask that exists counts as deleted for covers and linked files',
    'card or subtask',
    { service: 'card', query: `${rows('card.cards', exists).query} union all ${rows('card.subtasks', exists).query}` },
    tombstonesIn('attachment.tombstones'),
    removeTombstone('attachment.tombstones'),
    notBoth,
  ),
];
