import { CardinalError, type Document, unavailable } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { malformedRequest, type TravellingError } from './wire.ts';

/** A request on its way, and the callbacks of its caller. */
export interface Call {
  /** The request as JSON. */
  body: string;
  context: RequestContext;
  /** Bytes that it takes in a message. */
  size: number;
  /** When it is sent a second time while unanswered, epoch ms: half of its time. */
  retryAt: number;
  /** No two sendings of it may be carried out side by side (`RequestContract.setsState`). */
  setsState: boolean;
  /** The message that was sent last with it. */
  sentIn?: Attempt;
  /** Neither answered nor given up. */
  open: boolean;
  /** Ends it; only the first outcome counts. */
  settle(outcome: { document: Document } | { error: CardinalError }): void;
}

/** Ends what is still open of these calls. */
export const rejectAll = (calls: Call[], error: CardinalError): void => {
  for (const call of calls) call.settle({ error });
};

/** The part of the time until a call's second try in which the first one may be begun; the rest is for its way. */
const firstTryShare = 0.8;

/**
 * The context that is sent with a call. The first sending of a call that sets a state expires before the second one
 * leaves.
 */
export const contextOf = ({ context, setsState, retryAt }: Call): RequestContext => {
  if (!setsState || retryAt >= context.deadline) return context;
  const now = Date.now();
  return { ...context, deadline: now + (retryAt - now) * firstTryShare };
};

/** A message on its way, or held back while the connection is away: its calls in the order of its items. */
export interface Attempt {
  token: string;
  subject: string;
  calls: Call[];
  tries: Tries;
  /** It may have reached a service. */
  wasSent: boolean;
  timer?: NodeJS.Timeout;
}

/** What was tried before: the second try of calls without an answer, and pauses because there was no listener. */
export interface Tries {
  isRetry: boolean;
  unheard?: { since: number; pauseMs: number };
}

/**
 * The error that a caller gets for what a service answered. Where a service does not understand what its caller has
 * checked, it is of an earlier release, amid an upgrade, and lacks a field: its client is right, and may try again.
 */
export const errorOf = ({ code, message, details }: TravellingError, subject: string): CardinalError =>
  message === malformedRequest(subject)
    ? unavailable(`The service does not understand ${subject}: it is of another release`)
    : new CardinalError(code, message, details);
