import { type Bus, connectBus } from '@cardinal/bus';
import { type EventOf, projectWorkstream, settleOperation, type workstreamChanged } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';

interface Commit {
  card_version: number;
  assigned_at: string;
}

/** The card service's side of the contracts: tests say what committed, and see what was asked and projected. */
export interface CardDouble {
  /** Operations that committed, or what happens while one is asked about. */
  committed: Map<string, Commit | (() => Promise<Commit | undefined>)>;
  asked: string[];
  projected: EventOf<typeof workstreamChanged>[];
  /** What the projection waits for before it answers. */
  holdUp: Promise<void> | undefined;
  bus: Bus;
}

/** Stands in for the card service on the bus. */
export const startCardDouble = async (natsUrl: string): Promise<CardDouble> => {
  const logger = createLogger({ service: 'card', level: 'silent' });
  const bus = await connectBus({ url: natsUrl, name: 'card', logger });
  const double: CardDouble = { committed: new Map(), asked: [], projected: [], holdUp: undefined, bus };
  bus.serve(settleOperation, async ({ operation_id }) => {
    double.asked.push(operation_id);
    const known = double.committed.get(operation_id);
    const commit = typeof known === 'function' ? await known() : known;
    return commit ? { result: 'committed' as const, ...commit } : { result: 'unknown' as const };
  });
  bus.serve(projectWorkstream, async (event) => {
    // On a busy machine the bus brings it twice.
    if (!double.projected.some(({ id }) => id === event.id)) double.projected.push(event);
    await double.holdUp;
    return { applied: true };
  });
  return double;
};
