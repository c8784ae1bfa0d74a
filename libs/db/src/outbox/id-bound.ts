import { v7 } from 'uuid';

/** The least id of an event made at `time`: ids begin with their time (RFC 9562, 5.7), so they serve as its index. */
export const idBound = (time: Date): string => v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) });
