/**
 * How long the stream may take an event that is published again for a copy, and drop it, in milliseconds: twice as long
 * as it remembers ids.
 */
export const takenForCopyMs = 4 * 60_000;
