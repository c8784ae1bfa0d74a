import type { listDependents as contract } from '@cardinal/contracts';
import { listNeighbours } from '../cards/list-neighbours.ts';
import type { DocumentHandler, Parts } from '../parts.ts';

/** Lists the cards that depend on a card. @throws CardinalError `not_found`, `invalid_request` */
export const listDependentsHandler =
  (parts: Parts): DocumentHandler<typeof contract> =>
  (request) =>
    listNeighbours(parts, 'depends_on_card_id', request);
