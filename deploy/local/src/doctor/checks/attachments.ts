import { known } from './kinds.ts';

/** What files, covers and links say of the card service's boards, cards and subtasks. */
export const attachments = [
  known(
    'every card with a cover exists',
    'card',
    { service: 'card', query: `select workspace_id || '/' || id as key, 'true'::jsonb as value from card.cards` },
    {
      service: 'attachment',
      query: `select workspace_id || '/' || card_id as key, 'true'::jsonb as value
        from attachment.covers where file_id is not null`,
    },
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
