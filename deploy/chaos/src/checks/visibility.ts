import { checkOf, type Exchange, type History } from '../history.ts';
import { statesOf } from '../states.ts';
import { isAcknowledged, viewOf, type Write } from '../view.ts';

/** The times in which a board surely was private: from each acknowledged closing until an opening may have begun. */
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
    // If an opening had begun before, the board may have been open all the time.
    if (until > end) times.push({ from: end, until, exchange: acknowledged });
    closed.set(target, times);
  }
  return closed;
};

/** When the write that made a version began: the version did not exist before. */
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

/** A stranger gets no events of a private board until it is opened. */
export const strangersAreToldNothing = checkOf('a stranger receives nothing of a private board', (history, report) => {
  const closed = closedTimes(history);
  const begun = beginnings(history);
  let looked = 0;
  for (const { by, isStranger, workspace, events } of history.follows) {
    if (!isStranger) continue;
    for (const { seq, type, subject, version, board, at, secrets } of events) {
      looked += 1;
      const what = `the ${by} of a stranger in workspace ${workspace} received ${seq}, ${type} of ${subject}`;
      if (secrets) report(`${what}, which names ${secrets.join(', ')}`);
      const write = begun.get(`${subject} ${version}`);
      if (board === null || !write) continue;
      // An event that was received before the write is of an equal version that a rollback lost.
      if (at < write.start) continue;
      const time = closed.get(board)?.find(({ from, until }) => from < write.start && at < until);
      if (time) report(`${what}, which was done while board ${board} was private`, time.exchange, write.exchange);
    }
  }
  return looked;
});
