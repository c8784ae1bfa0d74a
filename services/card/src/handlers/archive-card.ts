import type { archiveCard as contract } from '@cardinal/contracts';
import type { Handler } from '../parts.ts';
import type { EditCard } from '../writing/edit-card.ts';

/** Archives a card, which keeps its place; one that is archived stays as it is. */
export const archiveCard =
  (editCard: EditCard): Handler<typeof contract> =>
  (request) =>
    editCard(request, (card, now) => ({ fields: card.archived_at ? {} : { archived_at: now }, target: null }));
