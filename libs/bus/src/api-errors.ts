import { NatsError } from 'nats';

/** Codes of JetStream's API (server/errors.json of NATS). */
export const apiCodes = {
  messageNotFound: 10_037,
  streamNotFound: 10_059,
  wrongLastSequence: 10_071,
  /** Fewer servers than copies, and no cluster at all. */
  tooManyCopies: [10_005, 10_074],
  notEnabled: [10_039, 10_076],
};

/** The code that a refusal of JetStream has; 0 for any other error. */
export const apiCodeOf = (error: unknown): number => (error instanceof NatsError && error.api_error?.err_code) || 0;

/** True for the answer of a broker that has no such stream, or none yet. */
export const isStreamMissing = (error: unknown): boolean => apiCodeOf(error) === apiCodes.streamNotFound;
