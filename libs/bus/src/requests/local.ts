import { CardinalError, type Document, type RequestContract, unavailable } from '@cardinal/contracts';
import { currentContext, firstOf, inService, type Logger, newContext } from '@cardinal/runtime';
import { errorOf } from './call.ts';
import { singleLine } from './wire.ts';
import type { Work } from './work.ts';

/** A service of this process, and its handlers by subject. */
interface Local {
  service: string;
  work: Work;
}

/** Handles a signal, as JSON text, in the scope of its own service. */
export type Listener = (text: string) => void;

/**
 * What the services of one process serve and listen to. A call of one of them is a function call, not a message
 * (`libs/bus/README.md`, "Local calls").
 */
export interface LocalCalls {
  /** Names of the services that this process runs, from before they serve. */
  services: ReadonlySet<string>;
  /** By subject. */
  requests: Map<string, Local>;
  /** Listeners to signals that every process handles, by signal. */
  listeners: Map<string, Set<Listener>>;
}

/**
 * Makes what the services of one process share, to reach each other without the broker.
 * @param services the names of all of them
 */
export const createLocalCalls = (services: readonly string[]): LocalCalls => ({
  services: new Set(services),
  requests: new Map(),
  listeners: new Map(),
});

/**
 * Calls a service of this process. The request passes through JSON, as on the wire, so caller and handler share no
 * mutable data.
 * @param caller the calling service
 * @param timeoutMs the longest wait, ms
 * @throws CardinalError the handler's own error, or `unavailable` without an answer in time
 */
export const callLocally = async (
  { service, work }: Local,
  { subject, callers }: RequestContract,
  request: unknown,
  { caller, timeoutMs, logger }: { caller: string; timeoutMs: number; logger: Logger },
): Promise<Document> => {
  if (!callers.some((name) => name === caller)) {
    // The broker would refuse it, too (`access.ts`).
    logger.error({ subject }, 'a service makes a call that its contract does not allow');
    throw new CardinalError('internal', `${caller} may not call ${subject}`);
  }
  const { requestId, traceparent, deadline } = currentContext() ?? newContext({ timeoutMs });
  const from = {
    requestId: singleLine(requestId),
    traceparent,
    deadline: Math.min(deadline, Date.now() + timeoutMs),
  };
  const outcome = await firstOf(
    inService(service, () => work(JSON.parse(JSON.stringify(request)), from)),
    Math.max(from.deadline - Date.now(), 0),
    () => {
      throw unavailable(`No answer from ${subject} in time`);
    },
  );
  if ('error' in outcome) throw errorOf(outcome.error, subject);
  return outcome.document;
};
