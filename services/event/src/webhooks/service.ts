import type { Bus } from '@cardinal/bus';
import type { Connections } from '@cardinal/service';
import type { Config } from '../config.ts';
import type { Tables } from '../context.ts';
import { createSight } from '../log/sees.ts';
import { createAddressRule } from './addresses.ts';
import type { DeliveryContext } from './context.ts';
import { deliveryDays, purgeDeliveries, serveDeliveries } from './deliveries.ts';
import { measureAttempt, webhookGauges } from './gauges.ts';
import { sendPings, servePings } from './pings.ts';
import { resealSecrets } from './reseal.ts';
import { createRevocations } from './revocations.ts';
import { deliverEvents } from './runner.ts';
import { createVault } from './secrets.ts';
import { createSender, type SenderOptions } from './sender.ts';
import { serveWebhooks } from './webhooks.ts';

/** Interval of `resealSecrets`, ms. */
const resealMs = 60_000;

/** Limits, and the look-up of names, that tests replace. */
interface Tuning extends Pick<SenderOptions, 'timeoutMs' | 'resolve'> {
  atOnce?: number;
  passed?: () => number;
}

/** Serves the operations on webhooks, and delivers events and pings to them. */
export const startWebhooks = (
  { lineage, ...connections }: Connections<Tables> & Pick<DeliveryContext, 'lineage'>,
  config: Config,
  { atOnce, passed, ...tuning }: Tuning = {},
) => {
  const revocations = createRevocations(connections, lineage);
  const { upToDate } = revocations;
  const sender = createSender({ ...tuning, isAllowed: createAddressRule(config.WEBHOOK_NETWORKS) });
  const base = {
    ...connections,
    lineage,
    sender,
    measure: measureAttempt,
    allowsHttp: config.WEBHOOK_HTTP,
    sight: createSight(connections.bus),
    vault: createVault(config.WEBHOOK_KEY, config.WEBHOOK_KEY_ACCEPTED),
  };
  const [deliveries, pings] = [
    deliverEvents({ ...base, upToDate, ...(atOnce && { atOnce }), ...(passed && { passed }) }),
    sendPings(base),
  ];
  const context = { ...base, bus: serveAfter(upToDate, connections.bus), revocations, deliveries, pings };
  serveWebhooks(context);
  servePings(context);
  serveDeliveries(context);
  const stop = () => Promise.all([deliveries.stop(), pings.stop()]).then(() => sender.close());
  return {
    context,
    parts: [{ name: 'webhooks', stop }],
    sweepers: [{ name: 'reseal-secrets', intervalMs: resealMs, run: () => resealSecrets(base) }],
    retention: [{ purge: purgeDeliveries, hours: deliveryDays * 24 }],
    gauges: webhookGauges,
  };
};

/** Returns a bus that awaits `ready` before it handles a request. */
const serveAfter = (ready: () => Promise<unknown>, bus: Bus): Bus => ({
  ...bus,
  serve: ((contract: Parameters<Bus['serve']>[0], handler: Parameters<Bus['serve']>[1]) =>
    bus.serve(contract, async (request) => {
      await ready();
      return handler(request);
    })) as Bus['serve'],
});
