import type { Step } from '../explore.ts';
import type { CardDatabase, IdentifierDatabase, Process, State, World } from './state.ts';

/** Databases are rolled back, and the register is lost, but not both before services could repair the first. */
export const troubleSteps = (state: State, world: World, step: Step<State>): void => {
  const { lineage, mark, cards, identifiers, rollbacks, wipes } = state;
  const isWhole = lineage.card.line > 0 && lineage.identifier.line > 0;
  const isRecognized = lineage.card.line === cards[0]?.line && lineage.identifier.line === identifiers[0]?.line;
  if (rollbacks < world.rollbacks && isWhole)
    for (const { label, cardTo, identifierTo } of rollbacksOf(state, world))
      step(label, (draft) => rollback(draft, world, cardTo, identifierTo));
  if (wipes < world.wipes && isRecognized)
    step('the register is lost', (draft) => {
      draft.wipes += 1;
      draft.lineage = { epoch: 0, card: { line: 0, tick: 0 }, identifier: { line: 0, tick: 0 } };
      draft.mark = { ...mark, workstream: 0, through: 0, base: 0, epoch: 0 };
    });
  if (state.losses < world.losses && isRecognized)
    for (const { label, cardTo, identifierTo } of lossesOf(state, world))
      step(`everything stops, the register is lost, ${label}`, (draft) => lose(draft, world, cardTo, identifierTo));
};

/** A restore into an empty stack: no process runs, and nothing is in flight. */
const lose = (state: State, world: World, cardTo: string | undefined, identifierTo: string | undefined): void => {
  rollback(state, { ...world, rollbacks: 0 }, cardTo, identifierTo);
  state.rollbacks -= 1;
  state.losses += 1;
  // Each restore is of a backup made since the last one.
  Object.assign(state, { earlierCards: [], earlierIdentifiers: [] });
  state.lineage = { epoch: 0, card: { line: 0, tick: 0 }, identifier: { line: 0, tick: 0 } };
  state.mark = { workstream: 0, through: 0, base: 0, epoch: 0 };
  state.messages = [];
  for (const process of [...state.issuers, ...state.granters])
    Object.assign(process, { met: 0, compared: 0, line: 0, tick: 0, epoch: 0, read: [] });
};

/** A backup from before the first number cannot be distinguished from a new system. */
const lossesOf = (state: State, world: World): Rollback[] =>
  rollbacksOf(state, world).filter(({ cardTo, identifierTo }) => {
    const throughOf = (to: string | undefined, now: { through: number } | undefined) =>
      (to === undefined ? now : (JSON.parse(to) as { through: number }))?.through ?? 0;
    return world.others || throughOf(cardTo, state.cards[0]) > 0 || throughOf(identifierTo, state.identifiers[0]) > 0;
  });

interface Rollback {
  label: string;
  cardTo: string | undefined;
  identifierTo: string | undefined;
}

const rollbacksOf = (state: State, { rollingBack, split, sameIdentity, withinTick }: World): Rollback[] => {
  const card = state.cards[0] as CardDatabase;
  const identifier = state.identifiers[0] as IdentifierDatabase;
  // A standby may have everything.
  const now = (database: CardDatabase | IdentifierDatabase) =>
    split ? [JSON.stringify({ ...database, line: undefined })] : [];
  const cardsTo = [...new Set([...state.earlierCards, ...now(card)])].filter(
    (text) =>
      !sameIdentity ||
      withinTick ||
      text === state.cameBack ||
      (JSON.parse(text) as CardDatabase).tick < state.lineage.card.tick,
  );
  const identifiersTo = [...new Set([...state.earlierIdentifiers, ...now(identifier)])];
  const plain = (text: string) => text.replaceAll('"', '');
  const rollbacks: Rollback[] = [];
  if (rollingBack.includes('cards') && !(split && rollingBack.includes('identifiers')))
    for (const cardTo of cardsTo)
      rollbacks.push({ label: `card is rolled back to ${plain(cardTo)}`, cardTo, identifierTo: undefined });
  if (rollingBack.includes('identifiers') && !(split && rollingBack.includes('cards')))
    for (const to of identifiersTo)
      rollbacks.push({ label: `identifier is rolled back to ${plain(to)}`, cardTo: undefined, identifierTo: to });
  if (rollingBack.length === 2)
    for (const cardTo of cardsTo)
      for (const to of identifiersTo)
        rollbacks.push({ label: `both are rolled back to ${plain(cardTo)} ${plain(to)}`, cardTo, identifierTo: to });
  return rollbacks;
};

const rollback = (
  state: State,
  { rollbacks, split, sameIdentity }: World,
  cardTo: string | undefined,
  identifierTo: string | undefined,
): void => {
  state.rollbacks += 1;
  if (cardTo !== undefined) {
    const line = sameIdentity ? (state.cards[0] as CardDatabase).line : ++state.lines;
    const restored = { line, ...(JSON.parse(cardTo) as Omit<CardDatabase, 'line'>) };
    state.cards = [restored, ...(split ? state.cards : [])];
    if (sameIdentity) state.cameBack = cardTo;
    leave(state.issuers, split);
  }
  if (identifierTo !== undefined) {
    state.lines += 1;
    const restored = { line: state.lines, ...(JSON.parse(identifierTo) as Omit<IdentifierDatabase, 'line'>) };
    state.identifiers = [restored, ...(split ? state.identifiers : [])];
    leave(state.granters, split);
  }
  if (state.rollbacks >= rollbacks) Object.assign(state, { earlierCards: [], earlierIdentifiers: [], cameBack: '' });
};

/** Connected processes stay with the old primary, or lose their connections with it. */
const leave = (processes: Process[], split: boolean): void => {
  for (const process of processes) Object.assign(process, split ? { at: 1 } : { met: 0, compared: 0, read: [] });
};
