/** Part of a file, in bytes from its start; both ends belong to it. */
export interface ByteRange {
  start: number;
  end: number;
}

interface Asked {
  range?: string | undefined;
  'if-range'?: string | undefined;
}

/** One part: from a byte on, to another, or the last so many. */
const onePart = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * The part that a `Range` asks for (RFC 9110, 14.2). Several parts at once, other units and what is malformed are
 * ignored, as is a range of something that has changed since.
 * @returns undefined for all of it, null where it has no such part
 */
export const rangeOf = (asked: Asked, etag: string, size: number): ByteRange | null | undefined => {
  const { range = '', 'if-range': ifRange = etag } = asked;
  const [matches, first = '', last, suffix] = onePart.exec(range) ?? [];
  if (matches === undefined || ifRange !== etag) return undefined;
  const start = suffix === undefined ? Number(first) : Math.max(0, size - Number(suffix));
  const end = last ? Number(last) : size - 1;
  if (start > end && last) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : null;
};

/** Whether `If-None-Match` says that the client has it already (RFC 9110, 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
