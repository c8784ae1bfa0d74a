import type { Caller, EventType, File } from '@cardinal/contracts';
import { type Change, type ChangeDetails, changeOf } from '@cardinal/db';
import type { CardSummary } from '@cardinal/service';
import type { StoredFile } from '../context.ts';
import { toFile } from './queries.ts';

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

/**
 * What they hear of a file that a card or a subtask shows, or does not show any more, who see both boards. What was there
 * before is not said: its board may be a third one.
 */
export const changeOnCard = (
  type: Extract<EventType, `${'cover' | 'linked_file'}.${string}`>,
  { user_id }: Pick<Caller, 'user_id'>,
  at: Date,
  on: { card: CardSummary; subject: { type: string; id: string }; fileBoard: string | null; data: object | null },
): Change | undefined => {
  const { card, subject, fileBoard, data } = on;
  const { id, identifier, board_id } = card;
  return changeOf({
    ...{ type, by: { user_id }, at, subject, data, card: { id, identifier }, boardId: board_id },
    otherBoardId: fileBoard === board_id ? null : fileBoard,
  });
};
