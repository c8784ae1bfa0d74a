import { NatsError } from 'nats';

/** Error codes of JetStream's API (server/errors.json of NATS). */
export const apiCodes = {
  messageNotFound: 10_037,
  streamNotFound: 10_059,
  wrongLastSequence: 10_071,
  /** Fewer servers than replicas, and no cluster at all. */
  tooManyCopies: [10_005, 10_074],
  notEnabled: [10_039, 10_076],
};

/** The code of a JetStream error; 0 for any other error. */
export const apiCodeOf = (error: unknown): number => (error instanceof NatsError && error.api_error?.err_code) || 0;

/** True where the broker has no such stream, or none yet. */
export const isStreamMissing = (error: unknown): boolean => apiCodeOf(error) === apiCodes.streamNotFound;
