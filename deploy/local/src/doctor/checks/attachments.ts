import { sql } from 'kysely';
import type { Unequal } from '../compare.ts';
import { tellDeletionsAgain } from '../publish-again.ts';
import type { Tx } from '../sources.ts';
import { known, mendDeletion, same } from './kinds.ts';

const row = (json: string | undefined) => sql`jsonb_populate_record(null::card.subtasks, ${json ?? '{}'}::jsonb)`;

/** Writes the owner's word over the word that was seen; a link that the owner does not have is taken away. */
const mendLink = (tx: Tx, { owner, copy }: Unequal) =>
  sql`
  update card.subtasks as own
  set linked_file = nullif(said.linked_file, 'null'), linked_file_version = coalesce(said.linked_file_version, own.linked_file_version)
  from ${row(copy)} as seen, ${row(owner)} as said
  where (own.workspace_id, own.id, own.linked_file_version) = (seen.workspace_id, seen.id, seen.linked_file_version)
    and own.linked_file is not distinct from nullif(seen.linked_file, 'null')`.execute(tx);

/** What files, covers and links say of the card service's boards, cards and subtasks. */
export const attachments = [
  same(
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
    mendLink,
    // A subtask that is gone is looked at below; one without a word of the owner has no link.
    ({ owner, copy }) => copy === undefined || (owner === undefined && copy.includes('"linked_file": null')),
  ),
  known(
    'every card with a cover exists',
    'card',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.cards` },
    {
      service: 'attachment',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value
        from attachment.covers where file_id is not null`,
    },
    mendDeletion,
  ),
  known(
    'every subtask with a linked file exists, on its card',
    'subtask',
    {
      service: 'card',
      query: `select workspace_id || '/' || id as key, to_jsonb(card_id) as value from card.subtasks`,
    },
    {
      service: 'attachment',
      query: `select workspace_id || '/' || subtask_id as key, to_jsonb(card_id) as value
        from attachment.linked_files where file_id is not null`,
    },
    // Its own deletion, or its card's.
    (sources, { key, copy }) =>
      tellDeletionsAgain(sources, [key.slice(key.indexOf('/') + 1), String(JSON.parse(copy ?? 'null'))]),
  ),
  known(
    'every board of a file exists',
    'board',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.boards` },
    {
      service: 'attachment',
      query: `select distinct workspace_id || '/' || board_id as key, 'true'::jsonb as value
        from attachment.files where board_id is not null`,
    },
  ),
];
