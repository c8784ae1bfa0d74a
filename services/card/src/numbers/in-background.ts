import { currentContext, newContext, runInContext } from '@cardinal/runtime';

/** How long one piece of background work may take, ms; what is not done by then is left to a sweeper. */
const timeoutMs = 5_000;

/** Runs what goes on after its caller was answered, with a deadline of its own. Trace and request id stay. */
export const inBackground = <T>(fn: () => Promise<T>): Promise<T> => {
  const context = currentContext();
  return runInContext(
    newContext({ ...(context && { requestId: context.requestId, traceparent: context.traceparent }), timeoutMs }),
    fn,
  );
};
