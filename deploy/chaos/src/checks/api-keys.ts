import { checkOf, type History, type InjectedFault } from '../history.ts';
import { rollbacksOf } from '../rollbacks.ts';
import { isAcknowledged, viewOf, type Write } from '../view.ts';

/** KEYS_MAX_AGE_MS of the gateways of a run: how long one goes on with a key of whose end no signal arrived. */
export const keysMaxAgeMs = 5_000;
/** How long a key may be accepted where services reach each other (CONTRACT 13), ms. */
const graceMs = 1_000;
/** How long after a fault a signal may be lost, and a lost register is not written again, ms. */
const [afterFaultMs, rewrittenMs] = [10_000, 30_000];

/** Times at whose end nobody knows which keys were revoked before: the register was lost together with the database. */
const unknownTimes = (history: History): InjectedFault[] => {
  const rollbacks = rollbacksOf(history);
  const wipes = history.faults.filter(({ kind }) => kind === 'nats-wipe');
  const isNear = (wipe: InjectedFault) => (rollback: InjectedFault) =>
    rollback.end >= wipe.start && rollback.start <= wipe.end + rewrittenMs;
  return rollbacks.filter(
    (rollback) => rollback.kind === 'everything-restored' || wipes.some((wipe) => isNear(wipe)(rollback)),
  );
};

/**
 * After an acknowledged revocation no gateway accepts the key: within a second where services reach each other, within
 * KEYS_MAX_AGE_MS in any case, and for ever, also after rollbacks of the databases.
 */
export const revokedForEver = checkOf('a revoked API key is never accepted', (history, report) => {
  const unknown = unknownTimes(history);
  const revoked = new Map<string, Write>();
  for (const write of viewOf(history).writesOf('revokeApiKey'))
    if (write.acknowledged) revoked.set(write.target, write);
  let looked = 0;
  for (const exchange of history.exchanges) {
    const { apiKey, start } = exchange;
    const write = apiKey === undefined ? undefined : revoked.get(apiKey);
    if (!write || start < write.end) continue;
    if (unknown.some((time) => time.end >= write.start && time.start <= start)) continue;
    const isDisturbed = history.faults.some((fault) => fault.start <= start && fault.end + afterFaultMs >= write.start);
    if (start < write.end + graceMs + (isDisturbed ? keysMaxAgeMs : 0)) continue;
    looked += 1;
    if (isAcknowledged(exchange))
      report(`API key ${apiKey} is accepted, and its revocation had been acknowledged`, write.acknowledged, exchange);
  }
  return looked;
});
