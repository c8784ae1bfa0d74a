export { cors, type Origins } from './cors.ts';
export { connectionDrain } from './drain-connections.ts';
export { openEdge } from './edge.ts';
export { errorResponse, HttpError, retryAfterSeconds, sendError, toCardinalError } from './errors.ts';
export { askForBody, hasEmptyBody, protocol, refuseUnmet, waitsToSend } from './protocol.ts';
