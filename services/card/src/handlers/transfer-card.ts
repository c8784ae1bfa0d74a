import type { transferCard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { changeCard } from '../writing/change-card.ts';

/** Files a card under another workstream, where it gets a new identifier. */
export const transferCard =
  (parts: Parts): Handler<typeof contract> =>
  ({ body, ...request }) =>
    changeCard(parts, request, { edits: {}, workstreamId: body.workstream_id });
