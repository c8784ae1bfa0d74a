import type { Bus } from '@cardinal/bus';
import {
  closeRange,
  type InternalEventOf,
  type IssuedIdentifier,
  listUnrecorded,
  listUnrecordedOfWorkspace,
  notFound,
  openRange,
  projectWorkstream,
  summarizeCards,
  unrecordedAtOnce,
  type workstreamChanged,
} from '@cardinal/contracts';
import { testBus } from '@cardinal/testkit';
import type { z } from 'zod';

/** A stand-in for the card service: tests see what was closed and projected, and can delay its answers. */
export interface CardDouble {
  /** Workstreams whose range was closed, once for each time. */
  closed: string[];
  /** The epoch of it, by id. */
  closedIn: Map<string, number>;
  /** Openings, one for each request, and the highest adopted number. */
  opened: z.output<typeof openRange.request>[];
  adopted: number;
  /** Called before a range is closed or opened. */
  beforeClose: (workstreamId: string) => Promise<void>;
  projected: InternalEventOf<typeof workstreamChanged>[];
  /** Its answers on the identifiers of a card, by the ids of workspace and card. */
  identifiers: Map<string, z.output<typeof listUnrecorded.reply>>;
  /** Identifiers on their way to the ledger, of all workspaces. */
  unrecorded: IssuedIdentifier[];
  /** Its answers on cards, by id; none for others. */
  summaries: Map<string, z.output<typeof summarizeCards.reply>[number]>;
  /** The projection waits for it before it answers. */
  holdUp: Promise<void> | undefined;
  bus: Bus;
}

/** Starts the stand-in for the card service on the bus. */
export const startCardDouble = async (natsUrl: string): Promise<CardDouble> => {
  const bus = await testBus(natsUrl, 'card');
  const double: CardDouble = {
    closed: [],
    closedIn: new Map(),
    opened: [],
    adopted: 0,
    beforeClose: async () => {},
    projected: [],
    identifiers: new Map(),
    unrecorded: [],
    summaries: new Map(),
    holdUp: undefined,
    bus,
  };
  bus.serve(closeRange, async ({ workstream: { id }, epoch }) => {
    await double.beforeClose(id);
    double.closed.push(id);
    double.closedIn.set(id, epoch);
    return { closed: true as const };
  });
  bus.serve(openRange, async (request) => {
    await double.beforeClose(request.workstream.id);
    double.opened.push(request);
    const { above, next_number } = request;
    const last_number = Math.max(above, double.adopted);
    if (next_number !== null && next_number <= last_number) return { opened: false, last_number };
    return { opened: true, last_number: Math.max(last_number, (next_number ?? 1) - 1) };
  });
  bus.serve(listUnrecorded, async ({ workspace_id, card_id, from_version, limit }) => {
    const known = double.identifiers.get(`${workspace_id}/${card_id}`);
    if (!known) throw notFound('Card');
    const { current_identifier, unrecorded } = known;
    const isCurrent = (one: { identifier: string }) => one.identifier === current_identifier;
    const further = unrecorded
      .filter((one) => !isCurrent(one) && one.card_version >= from_version)
      .sort((a, b) => a.card_version - b.card_version);
    return { current_identifier, unrecorded: [...unrecorded.filter(isCurrent), ...further].slice(0, limit) };
  });
  bus.serve(listUnrecordedOfWorkspace, async ({ workspace_id, after }) => {
    const keyOf = ({ card_id, identifier }: { card_id: string; identifier: string }) => `${card_id} ${identifier}`;
    const left = double.unrecorded
      .filter((one) => one.workspace_id === workspace_id && (!after || keyOf(one) > keyOf(after)))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return { unrecorded: left.slice(0, unrecordedAtOnce) };
  });
  bus.serve(summarizeCards, async ({ card_ids }) => card_ids.flatMap((id) => double.summaries.get(id) ?? []));
  bus.serve(projectWorkstream, async (event) => {
    // On a busy machine the bus delivers it twice.
    if (!double.projected.some(({ id }) => id === event.id)) double.projected.push(event);
    await double.holdUp;
    return { applied: true };
  });
  return double;
};
