/** What a test saw of an endpoint: a status, and whether it answered a first request, a replay or a repetition. */
export type Show = `${'' | 'replayed ' | 'repeated '}${number}`;

interface Seen {
  /** Everything that makes two requests equal: who sends it, where, its headers and body. */
  request: string;
  status: number;
  isReplay: boolean;
  text: string;
}

/** A request that was answered with success, and what came. */
type First = Pick<Seen, 'status' | 'text'>;

const isSuccess = (status: number) => status < 400;

/** 405, 429 and 5xx say nothing of an endpoint's own rules. */
const isTelling = (status: number) => status !== 405 && status !== 429 && status < 500;

/**
 * Judges what one answer shows of its endpoint.
 * `replayed`: the service said so. `repeated`: the very same request had succeeded before, and this time it was answered
 * alike or refused.
 * @param firsts successes so far by request; added to
 */
export const showsOf = (seen: Seen, firsts: Map<string, First>): Show[] => {
  const { request, status, isReplay, text } = seen;
  if (!isTelling(status)) return [];
  if (isReplay) return [`replayed ${status}`];
  const first = firsts.get(request);
  if (first) {
    const isAlike = first.status === status && unsigned(first.text) === unsigned(text);
    return isAlike || !isSuccess(status) ? [`repeated ${status}`] : [];
  }
  if (isSuccess(status)) firsts.set(request, { status, text });
  return [`${status}`];
};

/** URLs of files are signed for a time, anew from minute to minute. */
const unsigned = (text: string) => text.replaceAll(/\b(expires|signature)=[^"&]*/g, '');
