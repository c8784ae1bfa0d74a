import type { EventFilters, LoggedEvent } from './event.ts';

/** What decides who sees an event, and its text. */
type Judged = Omit<LoggedEvent, 'seq' | 'id'>;

/** Somebody who reads events. */
export interface EventReader {
  userId: string;
  /** Whether the reader sees a board now. */
  sees: (boardId: string) => boolean;
}

/** What a follower asks for, the card by its id. */
export type Wanted = Pick<EventFilters, 'types' | 'board_id'> & { card_id?: string | undefined };

/** The boards on which it depends who sees an event. */
export const boardsOf = ({ board_id, other_board_id }: Pick<LoggedEvent, 'board_id' | 'other_board_id'>): string[] =>
  [board_id, other_board_id].filter((id) => id !== null);

/**
 * The text of an event as a reader gets it (CONTRACT 9.4). A reader of its board gets it. A second
 * board has to be seen too; where a card moved away from there, the second board is left out instead. Where something left
 * what the reader saw, the reader gets no more than that.
 * @param wanted what the reader asks for; everything by default
 * @returns undefined where the reader does not see the event, or does not ask for it
 */
export const shownTo = (event: Judged, reader: EventReader, wanted: Wanted = {}): string | undefined => {
  const { type, card_id, board_id, other_board_id, text } = event;
  if (type === 'feed.reset') return text;
  if (!isOfType(type, wanted.types) || (wanted.card_id !== undefined && wanted.card_id !== card_id)) return undefined;
  const isWanted = (board: string | null) =>
    wanted.board_id === undefined || (board !== null && [wanted.board_id].flat().includes(board));
  if (board_id !== null && !reader.sees(board_id)) {
    const left = boardLeft(event, reader);
    return left !== undefined && isWanted(left) ? ofDeparture(text, left) : undefined;
  }
  const seesOther = other_board_id === null || reader.sees(other_board_id);
  if (type !== 'card.moved') return seesOther && isWanted(board_id) ? text : undefined;
  if (seesOther) return isWanted(board_id) || isWanted(other_board_id) ? text : undefined;
  return isWanted(board_id) ? withoutOrigin(text) : undefined;
};

const isOfType = (type: string, types: Wanted['types']) =>
  types === undefined || [types].flat().some((one) => one === type || one === `${type.split('.', 1)[0]}.*`);

/** The board that a reader saw, and from whose sight something went with an event on a board that the reader does not see. */
const boardLeft = (
  { type, board_id, other_board_id, text }: Judged,
  { userId, sees }: EventReader,
): string | undefined => {
  if (type === 'card.moved') return other_board_id !== null && sees(other_board_id) ? other_board_id : undefined;
  if (board_id === null || (type !== 'board.updated' && type !== 'member.removed')) return undefined;
  const { previous, subject } = JSON.parse(text) as { previous: { visibility?: string }; subject: { id: string } };
  const isLeft = type === 'board.updated' ? previous.visibility === 'workspace' : subject.id === userId;
  return isLeft ? board_id : undefined;
};

const ofDeparture = (text: string, board_id: string): string => {
  const { subject, ...event } = JSON.parse(text) as { subject: object };
  return JSON.stringify({
    ...{ ...event, subject: { ...subject, version: null } },
    ...{ board_id, changed: [], previous: {}, data: null },
  });
};

const withoutOrigin = (text: string): string => {
  const event = JSON.parse(text) as { previous: Record<string, unknown> };
  const { board_id: _, column_id: __, ...previous } = event.previous;
  return JSON.stringify({ ...event, previous });
};
