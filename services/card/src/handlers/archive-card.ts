import type { archiveCard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeCard } from '../writing/write-card.ts';

/** Archives a card, which keeps its place; one that is archived stays as it is. */
export const archiveCard =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    writeCard(parts, { request, change: (card, _tx, now) => (card.archived_at ? {} : { archived_at: now }) });
