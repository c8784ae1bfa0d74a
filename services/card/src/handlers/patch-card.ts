import type { patchCard as contract } from '@cardinal/contracts';
import { edit, targetOf } from '../domain/edit.ts';
import type { Handler } from '../parts.ts';
import type { EditCard } from '../writing/edit-card.ts';

/** Edits a card; with `workstream_id` it transfers it in the same change. */
export const patchCard =
  (editCard: EditCard): Handler<typeof contract> =>
  ({ body: { workstream_id: wanted, ...edits }, ...request }) =>
    editCard(request, (card, now) => ({ fields: edit(card, edits, now), target: targetOf(card, wanted) }));
