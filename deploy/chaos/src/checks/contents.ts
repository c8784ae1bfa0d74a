import { checkOf, type Exchange, type History } from '../history.ts';
import type { SeenCard } from '../seen.ts';
import { type States, statesOf } from '../states.ts';
import { viewOf, type Write } from '../view.ts';

/** A version of a card, and an answer that showed it. */
interface Shown {
  card: SeenCard;
  exchange: Exchange;
}

/** The answers that showed a card completely, by version. Lists leave parts out. */
const shownOf = ({ observations }: States): Map<number, Shown> => {
  const shown = new Map<number, Shown>();
  for (const { card, exchange } of observations)
    if (card?.rest !== undefined) shown.set(card.version, { card, exchange });
  return shown;
};

const cardStates = (history: History) => statesOf(history).filter(({ type }) => type === 'card');

/** The fields of a card that a write sets. */
const wanted = ({ operation, body }: Write): Partial<SeenCard> => {
  if (operation === 'archiveCard') return { archived: true };
  if (operation === 'restoreCard') return { archived: false };
  const { title, priority, completed, workstream_id } = body;
  return Object.fromEntries(
    Object.entries({ title, priority, completed, workstream: workstream_id }).filter(
      ([, value]) => value !== undefined,
    ),
  );
};

const cardWrites = ['createCard', 'patchCard', 'transferCard', 'moveCard', 'archiveCard', 'restoreCard'];

/** The answer to a write shows the requested fields; all others are as in the version that the write names. */
export const writesWhatItSays = checkOf('a write changes the requested fields, and no others', (history, report) => {
  let looked = 0;
  const before = new Map(cardStates(history).map((states) => [states.id, shownOf(states)]));
  for (const write of viewOf(history).writesOf(...cardWrites)) {
    const { acknowledged: exchange, operation, ifMatch, target } = write;
    const card = exchange?.answer?.body.card;
    if (!card) continue;
    looked += 1;
    const said = wanted(write);
    const missing = Object.keys(said).find((field) => card[field as keyof SeenCard] !== said[field as keyof SeenCard]);
    if (missing) {
      const [set, shown] = [said, card].map((one) => one[missing as keyof SeenCard]);
      report(`card ${card.id}: ${operation} set ${missing} to ${set}, and answered ${shown}`, exchange);
    }
    const former = ifMatch === undefined ? undefined : before.get(target)?.get(ifMatch);
    if (!former) continue;
    const transferred = 'workstream' in said && former.card.workstream !== said.workstream;
    const kept = (['title', 'priority', 'completed', 'archived', 'workstream'] as const).filter(
      (field) => !(field in said),
    );
    // A move changes the column, a restore may.
    const mayMove = operation === 'moveCard' || operation === 'restoreCard';
    const lost = [
      ...kept.filter((field) => former.card[field] !== card[field]),
      ...(transferred === (former.card.identifier === card.identifier) ? ['identifier'] : []),
      ...(!mayMove && former.card.rest !== card.rest ? ['other fields'] : []),
    ];
    if (lost.length === 0) continue;
    const message = `card ${card.id}: ${operation} of version ${ifMatch} changed its ${lost.join(' and ')}`;
    report(message, exchange, former.exchange);
  }
  return looked;
});

/** Writes that may have changed a version of a card, by card and version. */
const candidates = (history: History) =>
  Map.groupBy(
    viewOf(history)
      .writesOf('patchCard', 'transferCard', 'archiveCard', 'restoreCard')
      .filter(({ possible }) => possible),
    ({ target, ifMatch }) => `${target} ${ifMatch}`,
  );

const becameArchived = (operation: string, archived: boolean | undefined) =>
  operation === (archived ? 'archiveCard' : 'restoreCard');

/**
 * Consecutive versions differ only by one write that named the first. A transfer with an edit makes two versions at once,
 * which are visible both or not at all. So no write explains a step that only transfers, or only has the title of such a
 * request.
 */
export const everyStepWasAsked = checkOf('a transfer with an edit applies fully or not at all', (history, report) => {
  let looked = 0;
  const writes = candidates(history);
  for (const states of cardStates(history)) {
    const shown = shownOf(states);
    for (const [version, { card, exchange }] of shown) {
      const former = shown.get(version - 1);
      if (!former) continue;
      looked += 1;
      const possible = writes.get(`${states.id} ${version - 1}`) ?? [];
      const isTransferred = former.card.identifier !== card.identifier;
      const isEdited = former.card.title !== card.title;
      const isSwitched = former.card.archived !== card.archived;
      const explains = ({ operation, body }: Write) => {
        if (operation === 'transferCard') return isTransferred && !isEdited && body.workstream_id === card.workstream;
        if (operation !== 'patchCard') return !isTransferred && !isEdited && becameArchived(operation, card.archived);
        const stays = body.workstream_id === undefined || body.workstream_id === card.workstream;
        return isEdited && !isTransferred && stays && body.title === card.title;
      };
      if (!(isTransferred || isEdited || isSwitched) || possible.some(explains)) continue;
      const what = [isTransferred && 'identifier', isEdited && 'title', isSwitched && 'archive'].filter(Boolean);
      report(
        `card ${states.id}: no request explains the change of its ${what.join(' and ')} from version ${version - 1} to ${version}`,
        ...[former.exchange, exchange, ...possible.flatMap(({ exchanges }) => exchanges)],
      );
    }
  }
  return looked;
});
