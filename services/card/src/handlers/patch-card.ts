import type { patchCard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { changeCard } from '../writing/change-card.ts';

/** Edits a card; with `workstream_id` it transfers it in the same change. */
export const patchCard =
  (parts: Parts): Handler<typeof contract> =>
  ({ body: { workstream_id: workstreamId, ...edits }, ...request }) =>
    changeCard(parts, request, { edits, workstreamId });
