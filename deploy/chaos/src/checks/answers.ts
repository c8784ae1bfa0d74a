import { checkOf, type Exchange, type InjectedFault } from '../history.ts';

/** The statuses that clients of the load may get. They send no malformed request, and have every right. */
const expected = new Set([200, 201, 204, 304, 404, 409, 412, 422, 429, 503]);
/** Operations that only the author of a comment may do: others get 403. */
const authorOnly = new Set(['patchComment', 'deleteComment']);

const faultOf = ({ operation, apiKey, answer }: Exchange): string | undefined => {
  if (!answer) return undefined;
  const { status, body, requestId } = answer;
  if (status === 403 && authorOnly.has(operation)) return undefined;
  // A key may be revoked, or lost in a rollback.
  if (status === 401 && apiKey !== undefined) return undefined;
  if (!expected.has(status)) return `answered ${status} ${body.error?.code ?? ''}`;
  if (body.strange !== undefined) return `answered ${status} with a body that is not of the API: ${body.strange}`;
  if (requestId === undefined) return `answered ${status} without X-Request-Id`;
  if (status < 400) return undefined;
  if (body.error === undefined) return `answered ${status} without an error`;
  if (body.error.requestId !== requestId) return `answered ${status} with a request_id that is not its X-Request-Id`;
  if (status !== 503) return undefined;
  if (!(Number(body.retryAfter) > 0)) return 'answered 503 without Retry-After';
  return body.error.code === 'unavailable' ? undefined : `answered 503 with the code ${body.error.code}`;
};

/** Every answer is documented, and 503 with `Retry-After` is the only failure. */
export const documented = checkOf(
  'every answer is a documented one, and the only failure is 503 with Retry-After',
  ({ exchanges }, report) => {
    const answered = exchanges.filter(({ answer }) => answer);
    for (const exchange of answered) {
      const fault = faultOf(exchange);
      if (fault) report(`${exchange.method} ${exchange.path} ${fault}`, exchange);
    }
    return answered.length;
  },
);

/** The longest time that a gateway takes for a request (`REQUEST_TIMEOUT_MS`), and slack for a busy machine, ms. */
const deadlineMs = 5_000;
const slackMs = 5_000;

/** The longest time until a gateway that was started or resumed is ready, ms. */
const startMs = 20_000;

/** Whether a fault hit the gateway of a request, during it or shortly before. */
const isExempt = ({ gateway, start, end }: Exchange, faults: readonly InjectedFault[]) =>
  faults.some((fault) => fault.members.includes(gateway) && fault.start <= end && fault.end + startMs >= start);

/** Every request is answered or refused in time, unless its own gateway was hit. */
export const inTime = checkOf(
  'every request is answered or refused within its deadline',
  ({ exchanges, faults }, report) => {
    for (const exchange of exchanges) {
      const { start, end, answer, lost, method, path, gateway } = exchange;
      const isLate = end - start > deadlineMs + slackMs;
      if ((answer && !isLate) || isExempt(exchange, faults)) continue;
      const seconds = ((end - start) / 1_000).toFixed(1);
      const outcome = answer ? `answered ${answer.status}` : `lost: ${lost}`;
      report(`${method} ${path} at ${gateway} took ${seconds} s and was ${outcome}`, exchange);
    }
    return exchanges.length;
  },
);
