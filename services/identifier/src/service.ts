import type { ServiceContext } from './context.ts';
import { serveGrants } from './ledger/grants.ts';
import { serveLedger } from './ledger/ledger.ts';
import { createDefaultWorkstreams } from './workstreams/defaults.ts';
import { serveWorkstreams } from './workstreams/workstreams.ts';

/** Everything that the service answers. It emits `workstream.changed`, and consumes nothing. */
export const serve = (context: ServiceContext): void => {
  const defaults = createDefaultWorkstreams(context);
  serveWorkstreams(context, defaults);
  serveGrants(context, defaults);
  serveLedger(context);
};
