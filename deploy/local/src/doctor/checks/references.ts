import { known } from './kinds.ts';

const workstreamIds = {
  service: 'identifier',
  query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from identifier.workstreams`,
} as const;

/** What one service's rows say of another service's. */
export const references = [
  known('every default workstream of a board exists', 'workstream', workstreamIds, {
    service: 'card',
    query: `select distinct workspace_id || '/' || default_workstream_id as key, 'true'::jsonb as value
      from card.boards where default_workstream_id is not null`,
  }),
  known('every workstream of a card exists', 'workstream', workstreamIds, {
    service: 'card',
    query: `select distinct workspace_id || '/' || workstream_id as key, 'true'::jsonb as value from card.cards`,
  }),
  known(
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
  known(
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
];
