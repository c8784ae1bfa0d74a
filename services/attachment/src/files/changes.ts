import type { Caller, EventType, File } from '@cardinal/contracts';
import { type Change, type ChangeDetails, changeOf } from '@cardinal/db';
import type { CardSummary } from '@cardinal/service';
import type { StoredFile } from '../context.ts';
import { type ShownFile, toFile } from './queries.ts';

type FileEvent = Extract<EventType, `file.${string}`>;

/** What they hear of a file who see it. */
export const detailsOfFile = (
  type: FileEvent,
  { user_id }: Pick<Caller, 'user_id'>,
  { id, board_id }: Pick<File, 'id' | 'board_id'>,
  more: Pick<ChangeDetails, 'at' | 'before' | 'data' | 'requestId'>,
): ChangeDetails => ({ type, by: { user_id }, subject: { type: 'file', id }, boardId: board_id, ...more });

/**
 * What they hear of what became of its bytes: as of whoever created it, since an upload says no more of its sender than that
 * the URL was given to them.
 * @param requestId null where it happened in the background
 */
export const changeOfFile = (before: StoredFile, after: StoredFile, requestId?: null): Change | undefined => {
  const more = { at: after.updated_at, before: toFile(before), data: toFile(after), requestId };
  return changeOf(detailsOfFile('file.updated', { user_id: after.created_by }, after, more));
};

/** What a card or a subtask shows from now on. */
export interface Showing {
  card: CardSummary;
  /** The one that it shows from now on, else the one that it showed. */
  file: ShownFile;
  /** The one that it showed. */
  former: ShownFile | undefined;
  /** As followers see it; null where it shows none any more. */
  data: object | null;
}

/**
 * The event of a file that a card or a subtask shows, or does not show any more, for those who see the boards of both. The
 * file that was there before is not named where it is on a third board.
 */
export const changeOnCard = (
  type: Extract<EventType, `${'cover' | 'linked_file'}.${string}`>,
  { user_id }: Pick<Caller, 'user_id'>,
  at: Date,
  on: Showing & { subject: { type: string; id: string } },
): Change | undefined => {
  const { card, subject, file, former, data } = on;
  const { id, identifier, board_id } = card;
  const isNamed = [null, board_id, file.board_id].includes(former?.board_id ?? null);
  return changeOf({
    ...{ type, by: { user_id }, at, subject, data, card: { id, identifier }, boardId: board_id },
    otherBoardId: file.board_id === board_id ? null : file.board_id,
    differs: {
      changed: ['file_id'],
      previous: isNamed ? { file_id: former?.id ?? null } : {},
    },
  });
};
