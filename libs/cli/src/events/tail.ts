import type { CardinalClient, Event } from '@cardinal/client/source';

/** What narrows events. */
export type Filters = Omit<NonNullable<Parameters<CardinalClient['events']['list']>[0]>, 'after'>;

/** How many more events than were asked for are looked through at first, and then twice as many each time. */
const window = 2;

/**
 * The last events that the log has, oldest first. The API lists from the oldest, and `seq` is dense: so where the log ends
 * is found by halving, in about twice as many requests as its length has bits.
 */
export const lastEvents = async (
  client: Pick<CardinalClient, 'events'>,
  filters: Filters,
  count: number,
): Promise<Event[]> => {
  const next = async (after?: number): Promise<Event | undefined> => {
    const [event] = await client.events.list({ ...filters, after }, { pageSize: 1 }).all({ limit: 1 });
    return event;
  };
  const oldest = await next();
  if (oldest === undefined) return [];
  let last = oldest.seq;
  let end: number | undefined;
  for (let step = 1; end === undefined || last < end; ) {
    const probe: number = end === undefined ? last + step : Math.floor((last + end) / 2);
    const found = await next(probe);
    if (found) last = found.seq;
    else end = probe;
    step *= 2;
  }
  for (let width = window * count; ; width *= 2) {
    const after = Math.max(oldest.seq - 1, last - width);
    const events = await client.events.list({ ...filters, after }).all();
    if (events.length >= count || after < oldest.seq) return events.slice(-count);
  }
};
