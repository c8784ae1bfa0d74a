import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';
import type { OwnerName } from './services.ts';

const envelope = z.object({
  id: uuid,
  type: z.string(),
  /** Version of the event's shape. */
  version: z.int().min(1),
  occurred_at: timestamp,
  workspace_id: uuid,
  request_id: z.string(),
  aggregate_id: uuid,
  /** The aggregate's version after the change; consumers apply an event only over an older one. */
  aggregate_version: z.int().min(0),
});

/** One kind of event: its subject `evt.<type>` and the small full state that it carries. */
export interface EventContract<Data extends z.ZodType = z.ZodType> {
  subject: string;
  type: string;
  version: number;
  schema: z.ZodObject<typeof envelope.shape & { data: Data }>;
}

/** Declares an event `<capability>.<what>`. */
export const defineEvent = <Data extends z.ZodType>(
  type: string,
  eventVersion: number,
  data: Data,
): EventContract<Data> => ({
  subject: `evt.${type}`,
  type,
  version: eventVersion,
  schema: envelope.extend({ data }),
});

/** Which service emits the events of a capability, the first word of their type: it alone may publish them. */
const emitters: Record<string, OwnerName> = {
  card: 'card',
  workstream: 'identifier',
  dependency: 'dependency',
  cover: 'attachment',
  'linked-file': 'attachment',
};

/** The service that emits events of a type; undefined where no service of ours does. */
export const emitterOf = (type: string): OwnerName | undefined => emitters[type.split('.', 1)[0] ?? ''];

/**
 * The subjects to which a service may publish: those of its capabilities, so that a release publishes also what the one
 * before it left in the outbox under a type that is no more.
 */
export const emittedSubjects = (service: string): string[] =>
  Object.entries(emitters).flatMap(([capability, emitter]) => (emitter === service ? `evt.${capability}.*` : []));

export type EventOf<Contract extends EventContract> = z.output<Contract['schema']>;
/** Any event, before its data is known. */
export type Event = z.infer<typeof envelope> & { data: unknown };
export const anyEvent = envelope.extend({ data: z.unknown() });
