import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import { archiveBoard } from './handlers/archive-board.ts';
import { archiveCard } from './handlers/archive-card.ts';
import { archiveColumn } from './handlers/archive-column.ts';
import { createBoard } from './handlers/create-board.ts';
import { createCard } from './handlers/create-card.ts';
import { createColumn } from './handlers/create-column.ts';
import { deleteBoard } from './handlers/delete-board.ts';
import { deleteCard } from './handlers/delete-card.ts';
import { getBoard } from './handlers/get-board.ts';
import { getCard } from './handlers/get-card.ts';
import { listBoards } from './handlers/list-boards.ts';
import { listCards } from './handlers/list-cards.ts';
import { listColumns } from './handlers/list-columns.ts';
import { lookUpCard } from './handlers/look-up-card.ts';
import { moveCard } from './handlers/move-card.ts';
import { patchBoard } from './handlers/patch-board.ts';
import { patchCard } from './handlers/patch-card.ts';
import { patchColumn } from './handlers/patch-column.ts';
import { projectWorkstream } from './handlers/project-workstream.ts';
import { restoreBoard } from './handlers/restore-board.ts';
import { restoreCard } from './handlers/restore-card.ts';
import { restoreColumn } from './handlers/restore-column.ts';
import { settleOperation } from './handlers/settle-operation.ts';
import { transferCard } from './handlers/transfer-card.ts';
import type { Parts } from './parts.ts';
import { workstreamChanged } from './subscribers/workstream-changed.ts';

/** Everything that the service answers and consumes. It emits `card.created|transferred|updated|deleted`. */
export const serve = async (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): Promise<void> => {
  bus.serve(contracts.createBoard, createBoard(parts));
  bus.serve(contracts.getBoard, getBoard(parts));
  bus.serve(contracts.listBoards, listBoards(parts));
  bus.serve(contracts.patchBoard, patchBoard(parts));
  bus.serve(contracts.archiveBoard, archiveBoard(parts));
  bus.serve(contracts.restoreBoard, restoreBoard(parts));
  bus.serve(contracts.deleteBoard, deleteBoard(parts));

  bus.serve(contracts.createColumn, createColumn(parts));
  bus.serve(contracts.listColumns, listColumns(parts));
  bus.serve(contracts.patchColumn, patchColumn(parts));
  bus.serve(contracts.archiveColumn, archiveColumn(parts));
  bus.serve(contracts.restoreColumn, restoreColumn(parts));

  bus.serve(contracts.createCard, createCard(parts));
  bus.serve(contracts.getCard, getCard(parts));
  bus.serve(contracts.lookUpCard, lookUpCard(parts));
  bus.serve(contracts.listCards, listCards(parts));
  bus.serve(contracts.patchCard, patchCard(parts));
  bus.serve(contracts.transferCard, transferCard(parts));
  bus.serve(contracts.moveCard, moveCard(parts));
  bus.serve(contracts.archiveCard, archiveCard(parts));
  bus.serve(contracts.restoreCard, restoreCard(parts));
  bus.serve(contracts.deleteCard, deleteCard(parts));

  bus.serve(contracts.settleOperation, settleOperation(parts));
  bus.serve(contracts.projectWorkstream, projectWorkstream(parts));

  await bus.consume({
    durable: 'card-workstream-changed',
    events: [contracts.workstreamChanged],
    handle: workstreamChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
};
