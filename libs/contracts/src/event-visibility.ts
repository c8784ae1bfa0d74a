import type { EventFilters, LoggedEvent } from './event.ts';

/** What decides who sees an event, and its text. */
type Judged = Pick<LoggedEvent, 'type' | 'board_id' | 'other_board_id' | 'text'>;

/** Whether a user sees a board now. */
type Sees = (boardId: string) => boolean;

/** The boards on which it depends who sees an event. */
export const boardsOf = ({ board_id, other_board_id }: Pick<LoggedEvent, 'board_id' | 'other_board_id'>): string[] =>
  [board_id, other_board_id].filter((id) => id !== null);

const withoutOrigin = (text: string): string => {
  const event = JSON.parse(text) as { previous: Record<string, unknown> };
  const { board_id: _, column_id: __, ...previous } = event.previous;
  return JSON.stringify({ ...event, previous });
};

/**
 * The text of an event as a user gets it (Beyond the specification, section 5): who sees its board sees it, and a second
 * board has to be seen too, or, where a card moved away from there, is not sent.
 * @returns undefined where he does not see the event
 */
export const shownTo = ({ type, board_id, other_board_id, text }: Judged, sees: Sees): string | undefined => {
  if (board_id !== null && !sees(board_id)) return undefined;
  if (other_board_id === null || sees(other_board_id)) return text;
  return type === 'card.moved' ? withoutOrigin(text) : undefined;
};

/** What a follower asks for, the card by its id. */
export type Wanted = Pick<EventFilters, 'types' | 'board_id'> & { card_id?: string | undefined };

const isOfType = (type: string, types: Wanted['types']) =>
  types === undefined || [types].flat().some((one) => one === type || one === `${type.split('.', 1)[0]}.*`);

/**
 * Whether an event is what a follower asks for: a card that moved away from a board is news of that board too, for whom
 * sees it. That a database fell back concerns everybody.
 */
export const isWanted = (
  { type, card_id, board_id, other_board_id }: Omit<LoggedEvent, 'text' | 'seq' | 'id'>,
  { types, board_id: boards, card_id: card }: Wanted,
  sees: Sees,
): boolean => {
  if (type === 'feed.reset') return true;
  if (!isOfType(type, types) || (card !== undefined && card !== card_id)) return false;
  if (boards === undefined) return true;
  const isOn = (board: string | null) => board !== null && [boards].flat().includes(board);
  return isOn(board_id) || (type === 'card.moved' && isOn(other_board_id) && sees(other_board_id ?? ''));
};
