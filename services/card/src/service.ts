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
export const serve = (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): void => {
  serveBoards(bus, parts);
  serveCards(bus, parts);
  serveLabels(bus, parts);
  serveOnCards(bus, parts);
  serveServices(bus, parts);

  bus.consume({
    consumer: contracts.consumers.cardOfWorkstreams,
    handle: workstreamChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
  bus.consume({
    consumer: contracts.consumers.cardOfDependencies,
    handle: dependencyChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
  bus.consume({
    consumer: contracts.consumers.cardOfLinkedFiles,
    handle: linkedFileChanged(parts),
    onPoison: (event, error) => deadLetter(parts.db, event, error),
  });
};
