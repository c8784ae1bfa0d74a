import type { NatsConnection } from 'nats';

const everyMs = 250;
/** Interval without traffic, ms: an idle process should cost little. */
const idleMs = 1_000;
/** Checks in a row without a reply or any received byte before a server counts as silent: 1.5 s. */
const maxSilentLooks = 6;

/**
 * Makes one round trip to the broker after another. The reply comes after everything that the broker sent before it, so
 * a message after the reply was sent after the round trip began.
 * @param options.onSilent called where the server does not answer. It counts checks of this process, not time: the
 * process reads its socket between two checks, so a process that was stopped or busy does not blame the server
 */
export const measureRoundTrips = (
  nats: NatsConnection,
  { isUp, onSilent }: { isUp: () => boolean; onSilent: () => void },
) => {
  let freshSince = performance.now();
  let asking = false;
  let silentLooks = 0;
  let [received, sent] = [0, 0];

  const ask = async () => {
    asking = true;
    sent = nats.stats().outMsgs;
    const begun = performance.now();
    await nats.flush().then(
      () => {
        freshSince = Math.max(freshSince, begun);
      },
      // The connection broke.
      () => {},
    );
    asking = false;
  };

  const look = () => {
    const { inBytes, outMsgs } = nats.stats();
    const isSilent = asking && inBytes === received;
    received = inBytes;
    silentLooks = isSilent && isUp() ? silentLooks + 1 : 0;
    if (silentLooks >= maxSilentLooks) {
      silentLooks = 0;
      onSilent();
    } else if (!asking && isUp() && (outMsgs !== sent || performance.now() - freshSince > idleMs - everyMs / 2)) {
      void ask();
    }
  };

  const timer = setInterval(look, everyMs).unref();
  void nats.closed().then(() => clearInterval(timer));

  return {
    /**
     * The longest that a message read now may have waited in network or process, ms: 0 in the normal case, up to 0.6 s
     * in an idle process.
     */
    waitedAtMost: () => Math.max(0, performance.now() - freshSince - 2 * everyMs),
    /** Called for a new connection, on which nothing waits yet. */
    restart() {
      freshSince = performance.now();
    },
  };
};
