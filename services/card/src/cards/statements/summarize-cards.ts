import type { summarizeCards as contract } from '@cardinal/contracts';
import { prepared, type StoredAs } from '@cardinal/db';
import type { z } from 'zod';
import { visibleTo } from '../../boards/visibility.ts';

/** What other services may show of a card, and which of the cards asked for it is, from 1. */
export type CardSummary = StoredAs<z.output<typeof contract.reply>[number]> & { place: number };

/** Reads summaries of cards of any workspaces, of those that exist and that their users see; $1 `CardKey`s (`rowsFor`). */
export const summarizeCards = prepared<CardSummary>(
  'summarize-cards',
  `select asked.place, cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at,
  cards.archived_at, boards.deleted_at is not null as board_deleted
from json_to_recordset($1) as asked (place integer, workspace_id uuid, user_id uuid, card_id uuid)
-- Each by its key: the offsets keep Postgres from passing all of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id offset 0
) as cards
cross join lateral (
  select * from boards where boards.workspace_id = asked.workspace_id and boards.id = cards.board_id offset 0
) as boards
where ${visibleTo('asked.user_id')}`,
);
