import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';

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

export type EventOf<Contract extends EventContract> = z.output<Contract['schema']>;
/** Any event, before its data is known. */
export type Event = z.infer<typeof envelope> & { data: unknown };
export const anyEvent = envelope.extend({ data: z.unknown() });
