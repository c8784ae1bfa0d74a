import stringify from 'safe-stable-stringify';
import { checkOf, type Exchange, type History } from '../history.ts';
import { cardsIn, isAcknowledged, isRefused, viewOf, type Write } from '../view.ts';

type Answer = NonNullable<Exchange['answer']>;

/** The parts of an answer that a replay repeats. URLs of uploads are signed again. */
const repeated = ({ operation }: Exchange, { status, etag, location, body }: Answer) =>
  stringify([status, etag, location, operation === 'createFile' ? body.file?.id : body.whole]);

/** All acknowledgements of one key are the same: status, body, ETag, Location (CONTRACT 3.4). */
export const equalReplays = checkOf('a key has one effect and one answer', (history, report) => {
  let looked = 0;
  const keyed = viewOf(history).writes.filter(({ exchanges }) => exchanges[0]?.key !== undefined);
  for (const { exchanges } of keyed) {
    const [first, ...others] = exchanges.filter(isAcknowledged);
    if (!first?.answer) continue;
    looked += others.length;
    const wanted = repeated(first, first.answer);
    const other = others.find((one) => one.answer && repeated(one, one.answer) !== wanted);
    if (other) report(`${first.operation} with the key ${first.key} has two different answers`, first, other);
  }
  // A key of one request is refused with another request.
  const byKey = Map.groupBy(keyed, ({ workspace, operation, exchanges }) =>
    [workspace, operation, exchanges[0]?.key].join(' '),
  );
  for (const requests of byKey.values()) {
    const [first, second] = requests.flatMap(({ acknowledged }) => acknowledged ?? []);
    if (!first || !second) continue;
    const message = `${first.operation} with the key ${first.key} was carried out for two different requests`;
    report(message, first, second);
  }
  return looked;
});

/** Whether something that a repetition names may be deleted. Then it gets 404, which comes before the replay. */
const mayBeGone = (history: History, { path, body }: Exchange, until: number): boolean => {
  const { deletions } = viewOf(history);
  const names = [...path.split('/'), ...Object.values((body ?? {}) as Record<string, unknown>)];
  if (names.some((name) => deletions.get(String(name))?.some(({ start }) => start < until))) return true;
  // The board of a column, or of a card, is not in the path.
  return viewOf(history)
    .writesOf('deleteBoard')
    .some(({ possible, start }) => possible && start < until);
};

/** Once a request with a key was acknowledged, its repetition is never refused, and is marked as a replay. */
export const repetitionsAreAnswered = checkOf('an acknowledged request is acknowledged again', (history, report) => {
  let looked = 0;
  for (const { exchanges, acknowledged, end } of viewOf(history).writes) {
    if (!acknowledged?.key) continue;
    for (const later of exchanges) {
      if (later.start < end || !later.answer) continue;
      looked += 1;
      const { status, replayed } = later.answer;
      const isRight = isAcknowledged(later) ? replayed : !isRefused(later) || status === 429;
      if (isRight || (status === 404 && mayBeGone(history, later, later.end))) continue;
      const answered = `then answered ${status}${status < 300 ? ', not as a replay' : ''}`;
      report(`${later.operation} with the key ${later.key} was acknowledged, and ${answered}`, acknowledged, later);
    }
  }
  return looked;
});

/** The text that identifies the effect of a write. A PATCH that is repeated without a key has the same one. */
const markOf = ({ body }: Write) => String(body.title);

/** No answer shows the effect of a request that was only refused, and one key creates one card. */
export const refusalsChangeNothing = checkOf(
  'a refused request changes nothing, and a key creates one card',
  (history, report) => {
    const writers = Map.groupBy(viewOf(history).writesOf('createCard', 'patchCard'), markOf);
    const carriers = new Map<string, { id: string; exchange: Exchange }>();
    const reported = new Set<string>();
    for (const exchange of history.exchanges) {
      for (const { id, title } of cardsIn(exchange)) {
        const writes = writers.get(title);
        if (!writes || reported.has(title)) continue;
        const carrier = carriers.get(title) ?? { id, exchange };
        carriers.set(title, carrier);
        const [{ operation, target }] = writes as [Write];
        const complaint =
          (!writes.some(({ possible }) => possible) &&
            `card ${id} has the title ${title}, of a request that was refused`) ||
          (writes.every(({ start }) => start > exchange.end) &&
            `card ${id} had the title ${title} before the request was sent`) ||
          (carrier.id !== id && `the title ${title} is on card ${carrier.id} and on card ${id}`) ||
          (operation === 'patchCard' && target !== id && `card ${id} has the title ${title} of card ${target}`);
        if (!complaint) continue;
        reported.add(title);
        report(complaint, ...writes.flatMap(({ exchanges }) => exchanges), carrier.exchange, exchange);
      }
    }
    return writers.size;
  },
);
