import type { listDependencies as contract } from '@cardinal/contracts';
import { listNeighbours } from '../cards/list-neighbours.ts';
import type { DocumentHandler, Parts } from '../parts.ts';

/** Lists the cards that a card depends on. @throws CardinalError `not_found`, `invalid_request` */
export const listDependenciesHandler =
  (parts: Parts): DocumentHandler<typeof contract> =>
  (request) =>
    listNeighbours(parts, 'card_id', request);
