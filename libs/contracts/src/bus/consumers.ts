import { cardDeleted } from '../card/events.ts';
import { dependencyChanged } from '../dependency/events.ts';
import { linkedFileChanged } from '../file/events.ts';
import { subtaskDeleted } from '../subtask/events.ts';
import { workstreamChanged } from '../workstream/events.ts';
import type { EventContract } from './event.ts';
import type { OwnerName } from './services.ts';

/** A place in the stream that outlives whoever reads there: what was acknowledged is not handed out again. */
export interface ConsumerContract {
  /** Its name on the broker. */
  durable: string;
  /** The one service that may fetch and acknowledge. */
  service: OwnerName;
  events: readonly EventContract[];
}

const consumer = (service: OwnerName, name: string, events: readonly EventContract[]): ConsumerContract => ({
  durable: `${service}-${name}`,
  service,
  events,
});

/** Every durable consumer. The deploy step makes them; a service only fetches and acknowledges. */
export const consumers = {
  cardOfWorkstreams: consumer('card', 'workstream-changed', [workstreamChanged]),
  cardOfDependencies: consumer('card', 'dependency-changed', [dependencyChanged]),
  cardOfLinkedFiles: consumer('card', 'linked-file-changed', [linkedFileChanged]),
  dependencyOfDeletedCards: consumer('dependency', 'card-deleted', [cardDeleted]),
  attachmentOfDeletedCards: consumer('attachment', 'card-deleted', [cardDeleted]),
  attachmentOfDeletedSubtasks: consumer('attachment', 'subtask-deleted', [subtaskDeleted]),
} satisfies Record<string, ConsumerContract>;
