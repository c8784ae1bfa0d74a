import { checkOf, type Exchange, type History } from '../history.ts';
import { statesOf } from '../states.ts';
import { isAcknowledged, viewOf, type Write } from '../view.ts';

/** From when a board surely was private until when it may have been open again, for each time that it was closed. */
const closedTimes = (history: History): Map<string, { from: number; until: number; exchange: Exchange }[]> => {
  const changes = viewOf(history)
    .writesOf('patchBoard')
    .filter(({ body, possible }) => possible && body.visibility !== undefined);
  const closed = new Map<string, { from: number; until: number; exchange: Exchange }[]>();
  for (const { target, body, acknowledged, end } of changes) {
    if (body.visibility !== 'private' || !acknowledged) continue;
    const isOpening = (one: Write) =>
      one.target === target && one.body.visibility === 'workspace' && one.exchanges.some(({ end: over }) => over > end);
    const until = Math.min(Number.POSITIVE_INFINITY, ...changes.filter(isOpening).map(({ start }) => start));
    const times = closed.get(target) ?? [];
    // One whose opening had begun before it was closed may have been open all the time.
    if (until > end) times.push({ from: end, until, exchange: acknowledged });
    closed.set(target, times);
  }
  return closed;
};

/** When what made a version of something began: it was not there before. */
const beginnings = (history: History): Map<string, { start: number; exchange: Exchange }> => {
  const begun = new Map<string, { start: number; exchange: Exchange }>();
  for (const { id, observations, steps } of statesOf(history)) {
    for (const { to, write, exchange } of steps) begun.set(`${id} ${to}`, { start: write.start, exchange });
    for (const { version, start, exchange } of observations) {
      const isMade = exchange.operation.startsWith('create') && isAcknowledged(exchange);
      if (isMade) begun.set(`${id} ${version}`, { start, exchange });
    }
  }
  return begun;
};

/** No stranger gets events of a private board until it is opened. */
export const strangersAreToldNothing = checkOf('nothing of a private board reaches a stranger', (history, report) => {
  const closed = closedTimes(history);
  const begun = beginnings(history);
  let looked = 0;
  for (const { by, isStranger, workspace, events } of history.follows) {
    if (!isStranger) continue;
    for (const { seq, type, subject, version, board, at, secrets } of events) {
      looked += 1;
      const what = `the ${by} of a stranger in workspace ${workspace} was told of ${seq}, ${type} of ${subject}`;
      if (secrets) report(`${what}, which says ${secrets.join(', ')}`);
      const write = begun.get(`${subject} ${version}`);
      if (board === null || !write) continue;
      // An event before its change is of a version that was lost and issued again.
      if (at < write.start) continue;
      const time = closed.get(board)?.find(({ from, until }) => from < write.start && at < until);
      if (time) report(`${what}, which was done while board ${board} was private`, time.exchange, write.exchange);
    }
  }
  return looked;
});
