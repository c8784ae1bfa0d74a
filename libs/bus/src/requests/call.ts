import type { CardinalError, Document } from '@cardinal/contracts';
import { currentContext, newContext, type RequestContext } from '@cardinal/runtime';
import { sizeOfItem } from './wire.ts';

/** A request on its way, and who waits for its answer. */
export interface Call {
  /** The request as JSON. */
  body: string;
  context: RequestContext;
  /** Bytes that it takes in a message. */
  size: number;
  /** When it is sent a second time while unanswered, epoch ms: half of its time. */
  retryAt: number;
  /** Nobody answered it yet, nor was it given up. */
  open: boolean;
  /** Ends it; only the first outcome counts. */
  settle(outcome: { document: Document } | { error: CardinalError }): void;
}

/**
 * @param timeoutMs the longest that it may wait, ms, where the current context leaves more
 * @param onSettled hears of its end, once
 */
export const newCall = (
  request: unknown,
  timeoutMs: number,
  resolve: (document: Document) => void,
  reject: (error: CardinalError) => void,
  onSettled: (call: Call) => void,
): Call => {
  const now = Date.now();
  const from = currentContext() ?? newContext({ timeoutMs });
  const context = { ...from, deadline: Math.min(from.deadline, now + timeoutMs) };
  const body = JSON.stringify(request);
  const call: Call = {
    body,
    context,
    size: sizeOfItem(body, context),
    retryAt: now + (context.deadline - now) / 2,
    open: true,
    settle(outcome) {
      if (!call.open) return;
      call.open = false;
      onSettled(call);
      if ('document' in outcome) resolve(outcome.document);
      else reject(outcome.error);
    },
  };
  return call;
};

export const giveUp = (calls: Call[], error: CardinalError): void => {
  for (const call of calls) call.settle({ error });
};
