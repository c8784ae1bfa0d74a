import type { ConsumerContract, RequestContract } from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import type { z } from 'zod';
import type { Connections } from './service.ts';

/** What a projection takes in. */
interface Projection<Event extends z.ZodType> {
  /** Hands an event over before its writer is answered, so that the next read shows what was written. */
  told: RequestContract<Event, z.ZodObject<{ applied: z.ZodBoolean }>>;
  /** The same events in the stream. */
  consumer: ConsumerContract;
  /** Writes down what an event says, over older words only; answers whether something changed. */
  project: (event: z.output<Event>) => Promise<{ applied: boolean }>;
}

/** Takes in another service's events, whichever way they come first (architecture, "Read your writes, across services"). */
export const serveProjection = <Event extends z.ZodType, Tables>(
  { bus, db }: Pick<Connections<Tables>, 'bus' | 'db'>,
  { told, consumer, project }: Projection<Event>,
): void => {
  bus.serve(told, project);
  bus.consume({
    consumer,
    handle: async (event) => {
      await project(told.request.parse(event));
    },
    onPoison: (event, error) => deadLetter(db, event, error),
  });
};
