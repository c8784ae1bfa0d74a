import type { Endpoint } from '../endpoint/endpoint.ts';
import { archiveBoardEndpoint } from './boards/archive-board.ts';
import { createBoardEndpoint } from './boards/create-board.ts';
import { deleteBoardEndpoint } from './boards/delete-board.ts';
import { getBoardEndpoint } from './boards/get-board.ts';
import { listBoardsEndpoint } from './boards/list-boards.ts';
import { patchBoardEndpoint } from './boards/patch-board.ts';
import { restoreBoardEndpoint } from './boards/restore-board.ts';
import { archiveCardEndpoint } from './cards/archive-card.ts';
import { createCardEndpoint } from './cards/create-card.ts';
import { deleteCardEndpoint } from './cards/delete-card.ts';
import { getCardEndpoint } from './cards/get-card.ts';
import { listCardsEndpoint } from './cards/list-cards.ts';
import { moveCardEndpoint } from './cards/move-card.ts';
import { patchCardEndpoint } from './cards/patch-card.ts';
import { restoreCardEndpoint } from './cards/restore-card.ts';
import { transferCardEndpoint } from './cards/transfer-card.ts';
import { archiveColumnEndpoint } from './columns/archive-column.ts';
import { createColumnEndpoint } from './columns/create-column.ts';
import { listColumnsEndpoint } from './columns/list-columns.ts';
import { patchColumnEndpoint } from './columns/patch-column.ts';
import { restoreColumnEndpoint } from './columns/restore-column.ts';
import { listIdentifiersEndpoint } from './identifiers/list-identifiers.ts';
import { lookUpCardEndpoint } from './identifiers/look-up-card.ts';
import { archiveWorkstreamEndpoint } from './workstreams/archive-workstream.ts';
import { createWorkstreamEndpoint } from './workstreams/create-workstream.ts';
import { getWorkstreamEndpoint } from './workstreams/get-workstream.ts';
import { listWorkstreamsEndpoint } from './workstreams/list-workstreams.ts';
import { patchWorkstreamEndpoint } from './workstreams/patch-workstream.ts';

/** Every operation of the API. */
export const endpoints: readonly Endpoint[] = [
  createBoardEndpoint,
  listBoardsEndpoint,
  getBoardEndpoint,
  patchBoardEndpoint,
  archiveBoardEndpoint,
  restoreBoardEndpoint,
  deleteBoardEndpoint,

  createColumnEndpoint,
  listColumnsEndpoint,
  patchColumnEndpoint,
  archiveColumnEndpoint,
  restoreColumnEndpoint,

  createCardEndpoint,
  getCardEndpoint,
  listCardsEndpoint,
  patchCardEndpoint,
  moveCardEndpoint,
  transferCardEndpoint,
  archiveCardEndpoint,
  restoreCardEndpoint,
  deleteCardEndpoint,

  lookUpCardEndpoint,
  listIdentifiersEndpoint,

  createWorkstreamEndpoint,
  listWorkstreamsEndpoint,
  getWorkstreamEndpoint,
  patchWorkstreamEndpoint,
  archiveWorkstreamEndpoint,
];
