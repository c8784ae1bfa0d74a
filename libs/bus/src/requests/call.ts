import { CardinalError, type Document, unavailable } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { malformedRequest, type TravellingError } from './wire.ts';

/** A call and the callbacks of its caller. */
export interface Call {
  /** The request as JSON. */
  body: string;
  context: RequestContext;
  /** Its bytes in a message. */
  size: number;
  /** When it is sent again without an answer, epoch ms: after half of its time. */
  retryAt: number;
  /** Two messages with it must not run at the same time (`RequestContract.setsState`). */
  setsState: boolean;
  /** The last message with it. */
  sentIn?: Attempt;
  /** It has neither an answer nor an error. */
  open: boolean;
  /** Ends it. Only the first outcome counts. */
  settle(outcome: { document: Document } | { error: CardinalError }): void;
}

/** Ends those of the calls that are still open. */
export const rejectAll = (calls: Call[], error: CardinalError): void => {
  for (const call of calls) call.settle({ error });
};

/** Share of the time before the second message in which the first one may begin to run; the rest is for its way. */
const firstTryShare = 0.8;

/**
 * The context that is sent with a call. The first message of a call that sets a state expires before the second one
 * leaves.
 */
export const contextOf = ({ context, setsState, retryAt }: Call): RequestContext => {
  if (!setsState || retryAt >= context.deadline) return context;
  const now = Date.now();
  return { ...context, deadline: now + (retryAt - now) * firstTryShare };
};

/** A message with its calls in the order of its items: sent, or held back while the connection is down. */
export interface Attempt {
  token: string;
  subject: string;
  calls: Call[];
  tries: Tries;
  /** It may have reached a service. */
  wasSent: boolean;
  timer?: NodeJS.Timeout;
}

/** Earlier tries: a second message without an answer, and pauses without a listener. */
export interface Tries {
  isRetry: boolean;
  unheard?: { since: number; pauseMs: number };
}

/**
 * Makes the caller's error from that of the service. A service that does not understand a request that its caller has
 * checked is of an earlier release, during an upgrade: the client is right and may retry.
 */
export const errorOf = ({ code, message, details }: TravellingError, subject: string): CardinalError =>
  message === malformedRequest(subject)
    ? unavailable(`The service does not understand ${subject}: it is of another release`)
    : new CardinalError(code, message, details);
