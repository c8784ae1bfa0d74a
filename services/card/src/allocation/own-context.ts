import { currentContext, newContext, runInContext } from '@cardinal/runtime';

/** How long one drive of an operation may take, ms; what is not done by then is left to the sweeper. */
const timeoutMs = 5_000;

/**
 * Runs a step of the protocol with a deadline of its own: an operation that has begun goes on when the client that asked
 * for it goes away (architecture, "Roll forward"). Trace and request id stay.
 */
export const inOwnContext = <T>(fn: () => Promise<T>): Promise<T> => {
  const context = currentContext();
  return runInContext(
    newContext({ ...(context && { requestId: context.requestId, traceparent: context.traceparent }), timeoutMs }),
    fn,
  );
};
