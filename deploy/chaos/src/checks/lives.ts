import { checkOf, type Exchange } from '../history.ts';
import { statesOf } from '../states.ts';
import { byStart, cardsIn, isAcknowledged, Latest, targetOf, viewOf, type Write } from '../view.ts';

/** Operations that get 404 only if the card in their path is deleted. */
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

/** Every later request finds an acknowledged resource, unless its deletion had begun. */
export const nothingIsLost = checkOf('no acknowledged write is lost', (history, report) => {
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
    // Parts of a card are deleted with it, and columns with their board, which a read of a column does not name.
    const parent = parents.get(id);
    if (!isCard && (parent === undefined || startedBefore(deletions.get(parent), end))) continue;
    if (operation === 'getColumn' && startedBefore(anyBoard, end)) continue;
    report(`${operation} does not find ${id}, which nobody deleted`, known.exchange, exchange);
  }
  return looked;
});

/** After an acknowledged deletion, no read finds the resource, and no write of it is acknowledged. */
export const deletedForEver = checkOf('a deleted resource stays deleted', (history, report) => {
  const gone = new Map<string, Write>();
  for (const [id, writes] of viewOf(history).deletions) {
    const first = writes.reduce((one, other) => (other.end < one.end ? other : one));
    // Cards of a deleted board can still be read.
    if (first.acknowledged && first.operation !== 'deleteBoard') gone.set(id, first);
  }
  let looked = 0;
  for (const exchange of history.exchanges) {
    if (!isAcknowledged(exchange)) continue;
    const { path, start, answer, operation } = exchange;
    // The answer to a create is replayed as long as its key is kept.
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

/** A workstream that was archived in one answer is archived in all later ones. */
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
