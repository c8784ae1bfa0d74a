import type { Caller, EventType, File } from '@cardinal/contracts';
import { type Change, type ChangeDetails, changeOf } from '@cardinal/db';
import type { CardSummary } from '@cardinal/service';
import type { StoredFile } from '../context.ts';
import { type ShownFile, toFile } from './queries.ts';

type FileEvent = Extract<EventType, `file.${string}`>;

/** The details of a file's event, for readers that see the file. */
export const detailsOfFile = (
  type: FileEvent,
  { user_id }: Pick<Caller, 'user_id'>,
  { id, board_id }: Pick<File, 'id' | 'board_id'>,
  more: Pick<ChangeDetails, 'at' | 'before' | 'data' | 'requestId'>,
): ChangeDetails => ({ type, by: { user_id }, subject: { type: 'file', id }, boardId: board_id, ...more });

/**
 * Makes the event of a change of a file's bytes. Its user is the creator of the file: an upload shows only that its
 * sender was given the URL.
 * @param requestId null for background work
 */
export const changeOfFile = (before: StoredFile, after: StoredFile, requestId?: null): Change | undefined => {
  const more = { at: after.updated_at, before: toFile(before), data: toFile(after), requestId };
  return changeOf(detailsOfFile('file.updated', { user_id: after.created_by }, after, more));
};

/** The file that a card or a subtask shows from now on. */
export interface Showing {
  card: CardSummary;
  /** The file that it shows from now on, else the former one. */
  file: ShownFile;
  /** The former one. */
  former: ShownFile | undefined;
  /** As followers see it; null where it shows no file any more. */
  data: object | null;
}

/**
 * Makes the event of a file that a card or subtask shows, or no longer shows, for readers that see the boards of both.
 * The former file is not named where it is on a third board.
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
    type,
    by: { user_id },
    at,
    subject,
    data,
    card: { id, identifier },
    boardId: board_id,
    otherBoardId: file.board_id === board_id ? null : file.board_id,
    differs: {
      changed: ['file_id'],
      previous: isNamed ? { file_id: former?.id ?? null } : {},
    },
  });
};
