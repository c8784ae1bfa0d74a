import { type DatabaseOwner, type FeedOwner, feedOwners, projectedBy } from '@cardinal/contracts';
import { compare, type Mismatch, type Side } from '../compare.ts';
import type { Check } from '../examine.ts';
import { rebuildProjection } from '../repair.ts';
import { referenceCheck, rows } from './kinds.ts';

/** SQL: the columns of a row as one value to compare. */
const objectOf = (columns: readonly string[]) =>
  `jsonb_build_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`;

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

const exists = `'"exists"'::jsonb`;
const tombstonesIn = (table: string): Side =>
  rows(table, `to_jsonb('deleted at ' || deleted_at)`, 'id', 'where deleted_at is not null');

const never = () => false;
const notBoth = ({ owner, copy }: Mismatch) => owner === undefined || copy === undefined;

/**
 * Every internal event older than a minute was applied; a healthy projection takes a moment. New events do not hide
 * a projection that stands still, nor do purged ones.
 */
const taken = (follower: DatabaseOwner, owner: FeedOwner): Check => ({
  name: `the ${follower} service has taken the internal events of the ${owner} service that are older than a minute`,
  look: async (sources, only) => {
    const noted: Side = {
      service: owner,
      query: `select workspace_id::text as key, jsonb_build_array(coalesce(before, last_internal), last_internal) as value
        from ${owner}.feeds left join (
          select workspace_id, min(seq) - 1 as before from ${owner}.internal_events
          where noted_at >= now() - interval '1 minute' group by workspace_id
        ) as recent using (workspace_id)
        where last_internal > 0`,
    };
    const positions: Side = {
      service: follower,
      query: `select workspace_id::text as key, to_jsonb(seq) as value
        from ${follower}.followed_feeds where owner = '${owner}'`,
    };
    const found = await compare(sources, { owner: noted, copy: positions, only, ignores: isTaken });
    return found.map(({ key, copy = '0' }) => ({
      key,
      what: `feed of ${owner} for ${key}: ${follower} took ${copy} of it and stands still`,
    }));
  },
});

/** The position is not behind the owner's of a minute ago, and not ahead of the owner's. */
const isTaken = ({ owner, copy = '0' }: Mismatch): boolean => {
  if (owner === undefined) return true;
  const [before = 0, last = 0] = JSON.parse(owner) as number[];
  return before <= Number(copy) && Number(copy) <= last;
};

/** Projections of other services' data. Every repair rebuilds one from its owner. */
export const projections = [
  referenceCheck(
    'the card service shows every workstream as the identifier service has it',
    'workstream',
    rows('identifier.workstreams', workstream),
    rows('card.workstreams', workstream),
    rebuildProjection('card', 'identifier'),
    never,
  ),
  referenceCheck(
    'the card service counts every dependency that the dependency service has',
    'dependency of',
    edgeOf('dependency.edges', 'true'),
    edgeOf('card.card_dependencies', 'present'),
    rebuildProjection('card', 'dependency'),
    // The copy keeps a tombstone of a dependency that is gone.
    ({ owner, copy }) => owner === undefined && copy?.includes('"present": false') === true,
  ),
  referenceCheck(
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
    rebuildProjection('card', 'attachment'),
    // Another rule checks that the subtask exists; a subtask that the owner does not know has no link.
    ({ owner, copy }) => copy === undefined || (owner === undefined && copy.includes('"linked_file": null')),
  ),
  referenceCheck(
    'no card that exists counts as deleted for dependencies',
    'card',
    rows('card.cards', exists),
    tombstonesIn('dependency.cards'),
    rebuildProjection('dependency', 'card'),
    notBoth,
  ),
  referenceCheck(
    'no card or subtask that exists counts as deleted for covers and linked files',
    'card or subtask',
    { service: 'card', query: `${rows('card.cards', exists).query} union all ${rows('card.subtasks', exists).query}` },
    tombstonesIn('attachment.tombstones'),
    rebuildProjection('attachment', 'card'),
    notBoth,
  ),
  ...feedOwners.flatMap((owner) => projectedBy[owner].map((follower) => taken(follower, owner))),
];
