import { conflict, preconditionFailed } from '@cardinal/contracts';

/**
 * Checks that a writer knows the state that it changes.
 * @param ifMatch the versions that the writer accepts; none never match
 * @throws CardinalError `precondition_failed` with the current version
 */
export const checkVersion = (version: number, ifMatch: readonly number[]): void => {
  if (!ifMatch.includes(version)) throw preconditionFailed(version);
};

/**
 * Checks that a card takes writes at all (api-decisions, "Boards, columns and what hangs on cards").
 * @throws CardinalError `conflict` where its board is deleted
 */
export const checkWritable = (card: { board_deleted_at: Date | null }): void => {
  if (card.board_deleted_at) throw conflict('The board of the card is deleted');
};
