import { type Connections, createVisibility } from '@cardinal/service';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import type { Tables } from '../../src/context.ts';
import { startFiller } from '../../src/fill/filler.ts';
import { createRollbacks } from '../../src/fill/rollbacks.ts';
import { createDays } from '../../src/log/days.ts';
import { serve } from '../../src/service.ts';

/** The service without webhooks. */
export const startInstance = (where: Where) =>
  testInstance('event', where, (connections: Connections<Tables>) => {
    const context = { ...connections, visibility: createVisibility(connections.bus) };
    serve(context);
    const rollbacks = createRollbacks(context);
    const filler = startFiller({ ...context, days: createDays(context.db), rollbacks });
    return { filler, parts: [filler.part], sweepers: [rollbacks.sweeper] };
  });
export type Instance = Awaited<ReturnType<typeof startInstance>>;
