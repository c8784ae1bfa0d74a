import { checkOf, type Exchange } from '../history.ts';
import { statesOf } from '../states.ts';
import { byStart, cardsIn, isAcknowledged, Latest, targetOf, viewOf, type Write } from '../view.ts';

/** Operations that are not found only where the card of their path is gone. */
const ofOneCard = new Set([
  'getCard',
  'patchCard',
  'transferCard',
  'archiveCard',
  'restoreCard',
  'deleteCard',
  'listIdentifiers',
  'listDependencies',
  'listDependents',
  'listComments',
  'listSubtasks',
  'createComment',
  'createSubtask',
  'putCardAssignee',
  'getCover',
]);
const ofOther = new Set([
  'getWorkstream',
  'patchWorkstream',
  'getLabel',
  'getComment',
  'getSubtask',
  'getColumn',
  'getBoard',
  'patchBoard',
]);

const startedBefore = (deletions: readonly Write[] | undefined, moment: number) =>
  deletions?.some(({ start }) => start < moment) === true;

/** What was acknowledged is found by every later read, unless its deletion had begun. */
export const nothingIsLost = checkOf('nothing that was acknowledged is lost', (history, report) => {
  const { deletions, writesOf } = viewOf(history);
  const anyBoard = writesOf('deleteBoard').filter(({ possible }) => possible);
  const firstSeen = new Map<string, { exchange: Exchange; end: number }>();
  const parents = new Map<string, string>();
  for (const { id, observations } of statesOf(history)) {
    const [first] = [...observations].sort((a, b) => a.end - b.end);
    if (first) firstSeen.set(id, first);
    const made = observations.find(({ exchange }) => exchange.operation.startsWith('create'));
    if (made) parents.set(id, targetOf(made.exchange.path));
  }
  let looked = 0;
  for (const exchange of history.exchanges) {
    const { operation, path, answer, start, end } = exchange;
    const isCard = ofOneCard.has(operation);
    if (!answer || !(isCard || ofOther.has(operation))) continue;
    looked += 1;
    const id = targetOf(path);
    const known = firstSeen.get(id);
    if (answer.status !== 404 || !known || known.end > start) continue;
    if (startedBefore(deletions.get(id), end)) continue;
    // What hangs on a card goes with it; so do columns with their board, and who read one does not say whose it is.
    const parent = parents.get(id);
    if (!isCard && (parent === undefined || startedBefore(deletions.get(parent), end))) continue;
    if (operation === 'getColumn' && startedBefore(anyBoard, end)) continue;
    report(`${operation} does not find ${id}, which nobody deleted`, known.exchange, exchange);
  }
  return looked;
});

/** After an acknowledged deletion no read finds what it deleted, and no write of it is acknowledged. */
export const deletedForEver = checkOf('what is deleted stays deleted', (history, report) => {
  const gone = new Map<string, Write>();
  for (const [id, writes] of viewOf(history).deletions) {
    const first = writes.reduce((one, other) => (other.end < one.end ? other : one));
    // Cards of a deleted board go on answering.
    if (first.acknowledged && first.operation !== 'deleteBoard') gone.set(id, first);
  }
  let looked = 0;
  for (const exchange of history.exchanges) {
    if (!isAcknowledged(exchange)) continue;
    const { path, start, answer, operation } = exchange;
    // A created thing's answer is replayed for as long as its key lasts.
    const shown = answer?.replayed || operation === 'createCard' ? [] : cardsIn(exchange).map(({ id }) => id);
    for (const id of new Set([targetOf(path), ...shown])) {
      const { acknowledged, end = 0 } = gone.get(id) ?? {};
      if (!acknowledged || acknowledged === exchange) continue;
      looked += 1;
      if (end >= start) continue;
      const message = `${operation} answers ${answer?.status} for ${id}, whose deletion had been acknowledged`;
      report(message, acknowledged, exchange);
    }
  }
  return looked;
});

/** A workstream that was seen archived never comes back. */
export const archivedForEver = checkOf('an archived workstream stays archived', (history, report) => {
  let looked = 0;
  for (const { id, observations } of statesOf(history).filter(({ type }) => type === 'workstream')) {
    const isArchived = ({ exchange }: { exchange: Exchange }) => {
      const { resource, resources } = exchange.answer?.body ?? {};
      return [resource, ...(resources ?? [])].some((one) => one?.id === id && one.archived === true);
    };
    const seen = observations.filter(({ digest }) => digest !== undefined);
    const archived = new Latest(seen.filter(isArchived), ({ version }) => version);
    for (const one of byStart(seen)) {
      looked += 1;
      const before = archived.before(one.start);
      if (!before || isArchived(one)) continue;
      const message = `workstream ${id} is active in version ${one.version}, and was archived in version ${before.version}`;
      report(message, before.exchange, one.exchange);
    }
  }
  return looked;
});
