import type { transferCard as contract } from '@cardinal/contracts';
import { targetOf } from '../domain/edit.ts';
import type { Handler } from '../parts.ts';
import type { EditCard } from '../writing/edit-card.ts';

/** Files a card under another workstream, where it gets a new identifier. */
export const transferCard =
  (editCard: EditCard): Handler<typeof contract> =>
  ({ body, ...request }) =>
    editCard(request, (card) => ({ fields: {}, target: targetOf(card, body.workstream_id) }));
