import { type Connections, createVisibility } from '@cardinal/service';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import type { Tables } from '../../src/context.ts';
import { createFalls } from '../../src/fill/falls.ts';
import { startFiller } from '../../src/fill/filler.ts';
import { createDays } from '../../src/log/days.ts';
import { serve } from '../../src/service.ts';

/** The service without webhooks. */
export const startInstance = (where: Where) =>
  testInstance('event', where, (connections: Connections<Tables>) => {
    const context = { ...connections, visibility: createVisibility(connections.bus) };
    serve(context);
    const falls = createFalls(context);
    const filler = startFiller({ ...context, days: createDays(context.db), falls });
    return { filler, parts: [filler.part], sweepers: [falls.sweeper] };
  });
export type Instance = Awaited<ReturnType<typeof startInstance>>;
