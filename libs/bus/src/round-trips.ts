import type { NatsConnection } from 'nats';

const everyMs = 250;
/** Who sends nothing asks less often: an idle process is to cost little. */
const idleMs = 1_000;
/** Looks in a row that find a round trip unanswered and nothing received before a server counts as silent: 1.5 s. */
const maxSilentLooks = 6;

/**
 * Asks the broker for one round trip after another. Its answer comes after everything that it sent before, so a message
 * after the answer was sent after the round trip began.
 * @param options.onSilent called where the server does not answer. Counts looks of this process, not time: it reads
 * what there is between two looks, so a process that was stopped or busy itself does not blame the server
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
     * How long what is read now may have waited at most, in the network or in this process, ms: 0 while all is well and
     * something is sent, up to 0.6 s in an idle process.
     */
    waitedAtMost: () => Math.max(0, performance.now() - freshSince - 2 * everyMs),
    /** A new connection: nothing of the former one waits. */
    restart() {
      freshSince = performance.now();
    },
  };
};
