import { republishDeletions } from '../repair.ts';
import { queryCheck, referenceCheck, republishDeletion } from './kinds.ts';

const workstreamIds = {
  service: 'identifier',
  query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from identifier.workstreams`,
} as const;

/** What one service's rows say of another service's. */
export const references = [
  referenceCheck('every default workstream of a board exists', 'workstream', workstreamIds, {
    service: 'card',
    query: `select distinct workspace_id || '/' || default_workstream_id as key, 'true'::jsonb as value
      from card.boards where default_workstream_id is not null`,
  }),
  referenceCheck('every workstream of a card exists', 'workstream', workstreamIds, {
    service: 'card',
    query: `select distinct workspace_id || '/' || workstream_id as key, 'true'::jsonb as value from card.cards`,
  }),
  referenceCheck(
    "every card's identifier is issued to it, out of its workstream",
    'identifier',
    {
      service: 'identifier',
      query: `select workspace_id || '/' || prefix || '-' || number as key,
          jsonb_build_object('card_id', card_id, 'workstream_id', workstream_id) as value
        from identifier.identifiers`,
    },
    {
      service: 'card',
      query: `select workspace_id || '/' || identifier as key,
          jsonb_build_object('card_id', id, 'workstream_id', workstream_id) as value
        from card.cards`,
    },
  ),
  referenceCheck(
    "every card's identifier is the last one that it was issued",
    'card',
    {
      service: 'identifier',
      query: `select distinct on (workspace_id, card_id)
          workspace_id || '/' || card_id as key, to_jsonb(prefix || '-' || number) as value
        from identifier.identifiers
        order by workspace_id, card_id, card_version desc`,
    },
    {
      service: 'card',
      query: `select workspace_id || '/' || id as key, to_jsonb(identifier) as value from card.cards`,
    },
  ),
  referenceCheck(
    'every card that has dependencies exists',
    'card',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.cards` },
    {
      service: 'dependency',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value from dependency.edges
        union select workspace_id || '/' || depends_on_card_id, 'true'::jsonb from dependency.edges`,
    },
    republishDeletion,
  ),
  queryCheck(
    'every card stands behind all that it depends on, so there is no cycle',
    'dependency',
    `select 'card ' || e.workspace_id || '/' || e.card_id || ' stands at ' || coalesce(own.position::text, 'no place')
        || ', card ' || e.depends_on_card_id || ' at ' || coalesce(other.position::text, 'no place') as what
      from dependency.edges e
      left join dependency.cards own on (own.workspace_id, own.id) = (e.workspace_id, e.card_id)
      left join dependency.cards other on (other.workspace_id, other.id) = (e.workspace_id, e.depends_on_card_id)
      where (own.position > other.position) is not true`,
  ),
  referenceCheck(
    'every card with a cover exists',
    'card',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.cards` },
    {
      service: 'attachment',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value
        from attachment.covers where file_id is not null`,
    },
    republishDeletion,
  ),
  referenceCheck(
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
      republishDeletions(sources, [key.slice(key.indexOf('/') + 1), String(JSON.parse(copy ?? 'null'))]),
  ),
  referenceCheck(
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
