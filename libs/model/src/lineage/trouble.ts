import type { Step } from '../explore.ts';
import type { CardDatabase, IdentifierDatabase, Process, State, World } from './state.ts';

/** Databases fall back, and the register is lost: never both before services were able to put things right. */
export const troubleSteps = (state: State, world: World, step: Step<State>): void => {
  const { lineage, mark, cards, identifiers, falls, wipes } = state;
  const isWhole = lineage.card.line > 0 && lineage.identifier.line > 0;
  const isRecognized = lineage.card.line === cards[0]?.line && lineage.identifier.line === identifiers[0]?.line;
  if (falls < world.falls && isWhole)
    for (const { label, cardTo, identifierTo } of fallsOf(state, world))
      step(label, (draft) => fall(draft, world, cardTo, identifierTo));
  if (wipes < world.wipes && isRecognized)
    step('the register is lost', (draft) => {
      draft.wipes += 1;
      draft.lineage = { epoch: 0, card: { line: 0, tick: 0 }, identifier: { line: 0, tick: 0 } };
      draft.mark = { ...mark, workstream: 0, through: 0, base: 0, epoch: 0 };
    });
};

interface Fall {
  label: string;
  cardTo: string | undefined;
  identifierTo: string | undefined;
}

const fallsOf = (state: State, { falling, split, sameIdentity, withinTick }: World): Fall[] => {
  const card = state.cards[0] as CardDatabase;
  const identifier = state.identifiers[0] as IdentifierDatabase;
  // A standby may have everything.
  const now = (database: CardDatabase | IdentifierDatabase) =>
    split ? [JSON.stringify({ ...database, line: undefined })] : [];
  const cardsTo = [...new Set([...state.earlierCards, ...now(card)])].filter(
    (text) => !sameIdentity || withinTick || (JSON.parse(text) as CardDatabase).tick < state.lineage.card.tick,
  );
  const identifiersTo = [...new Set([...state.earlierIdentifiers, ...now(identifier)])];
  const told = (text: string) => text.replaceAll('"', '');
  const falls: Fall[] = [];
  if (falling.includes('cards') && !(split && falling.includes('identifiers')))
    for (const cardTo of cardsTo)
      falls.push({ label: `card falls to ${told(cardTo)}`, cardTo, identifierTo: undefined });
  if (falling.includes('identifiers') && !(split && falling.includes('cards')))
    for (const to of identifiersTo)
      falls.push({ label: `identifier falls to ${told(to)}`, cardTo: undefined, identifierTo: to });
  if (falling.length === 2)
    for (const cardTo of cardsTo)
      for (const to of identifiersTo)
        falls.push({ label: `both fall to ${told(cardTo)} ${told(to)}`, cardTo, identifierTo: to });
  return falls;
};

const fall = (
  state: State,
  { falls, split, sameIdentity }: World,
  cardTo: string | undefined,
  identifierTo: string | undefined,
): void => {
  state.falls += 1;
  if (cardTo !== undefined) {
    const line = sameIdentity ? (state.cards[0] as CardDatabase).line : ++state.lines;
    const fallen = { line, ...(JSON.parse(cardTo) as Omit<CardDatabase, 'line'>) };
    state.cards = [fallen, ...(split ? state.cards : [])];
    leave(state.issuers, split);
  }
  if (identifierTo !== undefined) {
    state.lines += 1;
    const fallen = { line: state.lines, ...(JSON.parse(identifierTo) as Omit<IdentifierDatabase, 'line'>) };
    state.identifiers = [fallen, ...(split ? state.identifiers : [])];
    leave(state.granters, split);
  }
  if (state.falls >= falls) Object.assign(state, { earlierCards: [], earlierIdentifiers: [] });
};

/** Connected processes stay with the old primary, or lose their connections with it. */
const leave = (processes: Process[], split: boolean): void => {
  for (const process of processes) Object.assign(process, split ? { at: 1 } : { met: 0, read: [] });
};
