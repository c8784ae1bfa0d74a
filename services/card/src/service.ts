import type { Bus } from '@cardinal/bus';
import { serveBoards } from './boards/boards.ts';
import { serveBoardMembers } from './boards/members.ts';
import { serveCards } from './cards/cards.ts';
import { serveDependencies } from './cards/dependencies.ts';
import { serveCardSummaries } from './cards/summaries.ts';
import { serveColumns } from './columns/columns.ts';
import { serveComments } from './comments/comments.ts';
import type { ServiceContext } from './context.ts';
import { serveLabels } from './labels/labels.ts';
import { serveNumbers } from './numbers/numbers.ts';
import { serveLinkedFiles } from './subtasks/linked-files.ts';
import { serveSubtasks } from './subtasks/subtasks.ts';

/** Everything that the service answers and consumes. It emits `card.created|transferred|updated|deleted|subtask-deleted`. */
export const serve = (bus: Pick<Bus, 'serve' | 'consume'>, context: ServiceContext): void => {
  serveBoards(bus, context);
  serveBoardMembers(bus, context);
  serveColumns(bus, context);

  serveCards(bus, context);
  serveCardSummaries(bus, context);
  serveDependencies(bus, context);
  serveLabels(bus, context);
  serveComments(bus, context);
  serveSubtasks(bus, context);
  serveLinkedFiles(bus, context);

  serveNumbers(bus, context);
};
