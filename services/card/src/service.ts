import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import type { Parts } from './parts.ts';
import { serveBoards } from './service/boards.ts';
import { serveCards } from './service/cards.ts';
import { serveLabels } from './service/labels.ts';
import { serveOnCards } from './service/on-cards.ts';
import { serveServices } from './service/services.ts';
import { dependencyChanged } from './subscribers/dependency-changed.ts';
import { linkedFileChanged } from './subscribers/linked-file-changed.ts';
import { workstreamChanged } from './subscribers/workstream-changed.ts';

/** Everything that the service answers and consumes. It emits `card.created|transferred|updated|deleted|subtask-deleted`. */
export const serve = async (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): Promise<void> => {
  serveBoards(bus, parts);
  serveCards(bus, parts);
  serveLabels(bus, parts);
  serveOnCards(bus, parts);
  serveServices(bus, parts);

  await bus.consume({
    durable: 'card-workstream-changed',
    events: [contracts.workstreamChanged],
    handle: workstreamChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
  await bus.consume({
    durable: 'card-dependency-changed',
    events: [contracts.dependencyChanged],
    handle: dependencyChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
  await bus.consume({
    durable: 'card-linked-file-changed',
    events: [contracts.linkedFileChanged],
    handle: linkedFileChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
};
