import { z } from 'zod';
import { caller, defineRequest, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { dependencyChanged } from './events.ts';
import { cardSummary, dependency, dependencyEntry } from './resource.ts';

const edge = caller.extend({ card_id: uuid, depends_on_card_id: uuid });
const list = caller.extend({ card_id: uuid, page: pageRequest });

/** Desired state: the card depends on the other one. Refused where that would close a cycle. */
export const putDependency = defineRequest('dependency.put-dependency', edge, dependency, [
  'validation_error',
  'conflict',
]);
/** Desired state: none. One on a card that the caller cannot see stays, and the answer is the same. */
export const deleteDependency = defineRequest(
  'dependency.delete-dependency',
  edge,
  z.object({ deleted: z.literal(true) }),
  ['conflict'],
);
/** Oldest first; cards that the caller cannot see are left out. */
export const listDependencies = defineRequest('dependency.list-dependencies', list, pageReply(dependencyEntry));
export const listDependents = defineRequest('dependency.list-dependents', list, pageReply(dependencyEntry));

/**
 * Those of the cards named that exist and that the caller may see, in any order. Asked by services that hold ids of
 * cards and show or accept them.
 */
export const summarizeCards = defineRequest(
  'card.summarize-cards',
  caller.extend({ card_ids: z.array(uuid).min(1).max(1000) }),
  z.array(cardSummary.extend({ board_deleted: z.boolean() })),
  [],
  ['dependency', 'attachment'],
);

/** Hands a dependency's event to the card service's projection before the writer is answered. */
export const projectDependency = defineRequest(
  'card.project-dependency',
  dependencyChanged.schema,
  z.object({ applied: z.boolean() }),
  [],
  ['dependency'],
);
