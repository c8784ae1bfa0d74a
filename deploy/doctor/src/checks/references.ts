import { rebuildProjection } from '../repair.ts';
import { queryCheck, referenceCheck, rows } from './kinds.ts';

const cards = rows('card.cards');
const isSet = (column: string) => `where ${column} is not null`;
const issued = (identifier: string) =>
  `jsonb_build_object('identifier', ${identifier}, 'workstream_id', workstream_id)`;

/** References to rows of other services. A foreign key and the projection check that the workstream of a card exists. */
export const references = [
  referenceCheck(
    'every default workstream of a board exists',
    'workstream',
    rows('identifier.workstreams'),
    rows('card.boards', undefined, 'default_workstream_id', `${isSet('default_workstream_id')} group by 1`),
  ),
  referenceCheck(
    "every card's identifier is the last one that it was issued, out of its workstream",
    'card',
    {
      service: 'identifier',
      query: `select distinct on (workspace_id, card_id)
          workspace_id || '/' || card_id as key, ${issued(`prefix || '-' || number`)} as value
        from identifier.identifiers order by workspace_id, card_id, card_version desc`,
    },
    rows('card.cards', issued('identifier')),
  ),
  referenceCheck(
    'every card that has dependencies exists',
    'card',
    cards,
    {
      service: 'dependency',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value from dependency.edges
        union select workspace_id || '/' || depends_on_card_id, 'true'::jsonb from dependency.edges`,
    },
    rebuildProjection('dependency', 'card'),
  ),
  queryCheck(
    'every card stands behind all that it depends on, so there is no cycle',
    ['dependency'],
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
    cards,
    rows('attachment.covers', undefined, 'card_id', isSet('file_id')),
    rebuildProjection('attachment', 'card'),
  ),
  referenceCheck(
    'every subtask with a linked file exists, on its card',
    'subtask',
    rows('card.subtasks', 'to_jsonb(card_id)'),
    rows('attachment.linked_files', 'to_jsonb(card_id)', 'subtask_id', isSet('file_id')),
    rebuildProjection('attachment', 'card'),
  ),
  referenceCheck(
    'every board of a file exists',
    'board',
    rows('card.boards'),
    rows('attachment.files', undefined, 'board_id', `${isSet('board_id')} group by 1`),
  ),
];
