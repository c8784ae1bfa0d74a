/** The order in which the cards of a board are listed: by column, then by position (api-decisions, "Cards"). */

/** What a cursor keeps of the last row of a page: the card and its column, each with its position and version then. */
export interface CardCursor {
  column: Spot;
  card: Spot;
}

/** Something in an ordered list, as it was when its version was this. */
export interface Spot {
  id: string;
  position: number;
  version: number;
}

/** What the sort keys of the last row say: of a spot its id, position and version. */
export const spotOf = ([id, position, version]: SpotKeys): Spot => ({ id, position, version });
type SpotKeys = readonly [id: string, position: number, version: number];

/** The same of a card: its column's keys, then its own. */
export const cursorOf = ([columnId, columnPosition, columnVersion, ...card]: [
  ...SpotKeys,
  ...SpotKeys,
]): CardCursor => ({
  column: spotOf([columnId, columnPosition, columnVersion]),
  card: spotOf(card),
});

/** What stands in the database now of the column and the card that a cursor names. */
export interface CursorState {
  column: Spot | undefined;
  /** Undefined where the card has left the column. */
  card: Spot | undefined;
}

/**
 * Says where the next page begins. A rebalancing gives new positions to cards that nobody moved and leaves their versions
 * (api-decisions, "Cards"), so a card of the same version stands where it is now. One that was written since may have
 * been moved: the list goes on from where it stood then, and every card that stayed is listed once.
 */
export const resumeAfter = (cursor: CardCursor, now: CursorState) => ({
  columnId: cursor.column.id,
  columnPosition: positionOf(cursor.column, now.column),
  cardPosition: positionOf(cursor.card, now.card),
});

/** The same for one thing in its list. */
export const positionOf = (then: Spot, now: Spot | undefined): number =>
  now?.version === then.version ? now.position : then.position;
