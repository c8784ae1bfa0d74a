import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import { createCard } from './handlers/create-card.ts';
import { deleteCard } from './handlers/delete-card.ts';
import { getCard } from './handlers/get-card.ts';
import { patchCard } from './handlers/patch-card.ts';
import { projectWorkstream } from './handlers/project-workstream.ts';
import { settleOperation } from './handlers/settle-operation.ts';
import { transferCard } from './handlers/transfer-card.ts';
import type { Parts } from './parts.ts';
import { workstreamChanged } from './subscribers/workstream-changed.ts';

/** Everything that the service answers and consumes. It emits `card.created|transferred|updated|deleted`. */
export const serve = async (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): Promise<void> => {
  bus.serve(contracts.createCard, createCard(parts));
  bus.serve(contracts.getCard, getCard(parts));
  bus.serve(contracts.patchCard, patchCard(parts));
  bus.serve(contracts.transferCard, transferCard(parts));
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
