import type { EventFilters, LoggedEvent } from './event.ts';

/** What the visibility of an event depends on, and its text. */
type Judged = Omit<LoggedEvent, 'seq' | 'id'>;

/** A reader of events. */
export interface EventReader {
  /** Their own removal from a board takes it out of sight; undefined for a reader that no member is. */
  userId: string | undefined;
  /** Whether the reader sees a board now. */
  sees: (boardId: string) => boolean;
}

/** The filter of a follower, with the card and the actor by their ids. */
export type Wanted = Pick<EventFilters, 'types' | 'board_id'> & {
  card_id?: string | undefined;
  actor?: string | undefined;
  /** Only events that change one of these fields; undefined: all events (CONTRACT 10.1). */
  changed?: readonly string[] | undefined;
};

/** The boards on which the visibility of an event depends. */
export const boardsOf = ({ board_id, other_board_id }: Pick<LoggedEvent, 'board_id' | 'other_board_id'>): string[] =>
  [board_id, other_board_id].filter((id) => id !== null);

/**
 * Makes the text of an event for a reader (CONTRACT 9.4). A reader that sees its board gets it. A second board must be
 * visible too; where a card moved away from it, the second board is left out instead. Where a resource left the
 * reader's sight, the reader gets only that.
 * @param wanted the reader's filter; everything by default
 * @returns undefined where the reader does not see the event, or filters it out
 */
export const shownTo = (event: Judged, reader: EventReader, wanted: Wanted = {}): string | undefined => {
  const { type, card_id, board_id, other_board_id, text } = event;
  if (type === 'feed.reset') return text;
  if (!isOfType(type, wanted.types) || (wanted.card_id !== undefined && wanted.card_id !== card_id)) return undefined;
  if (wanted.actor !== undefined && !isBy(text, wanted.actor)) return undefined;
  const isWanted = (board: string | null) =>
    wanted.board_id === undefined || (board !== null && [wanted.board_id].flat().includes(board));
  if (board_id !== null && !reader.sees(board_id)) {
    const left = boardLeft(event, reader);
    const isLeft = left !== undefined && isWanted(left) && isChange(text, wanted.changed?.filter(isOfSight));
    return isLeft ? ofDeparture(text, left) : undefined;
  }
  if (!isChange(text, wanted.changed)) return undefined;
  const seesOther = other_board_id === null || reader.sees(other_board_id);
  if (type !== 'card.moved') return seesOther && isWanted(board_id) ? text : undefined;
  if (seesOther) return isWanted(board_id) || isWanted(other_board_id) ? text : undefined;
  return isWanted(board_id) ? withoutOrigin(text) : undefined;
};

/** The actor in the text of an event: before anything that clients choose. Events before release 1.2.0 name no key. */
const actorIn = /"actor":\{"user_id":"([^"]+)"(?:,"api_key_id":"([^"]+)")?/;

const isBy = (text: string, actor: string) => actorIn.exec(text)?.slice(1).includes(actor) ?? false;

const isOfType = (type: string, types: Wanted['types']) =>
  types === undefined || [types].flat().some((one) => one === type || one === `${type.split('.', 1)[0]}.*`);

/** Whether an event changes one of the fields; undefined: any. */
const isChange = (text: string, fields: readonly string[] | undefined): boolean => {
  if (fields === undefined) return true;
  const { changed } = JSON.parse(text) as { changed: string[] };
  return changed.some((field) => fields.includes(field));
};

/** Whether a field takes something out of sight. Others of such an event are not shown, so they are no filter either. */
const isOfSight = (field: string): boolean => ['board_id', 'column_id', 'visibility'].includes(field);

/** The board that the reader saw and from which an event removed something, or the reader itself. */
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
    ...event,
    subject: { ...subject, version: null },
    board_id,
    changed: [],
    previous: {},
    data: null,
  });
};

const withoutOrigin = (text: string): string => {
  const event = JSON.parse(text) as { previous: Record<string, unknown> };
  const { board_id: _, column_id: __, ...previous } = event.previous;
  return JSON.stringify({ ...event, previous });
};
