import { coverChanged, type EventOf, linkedFileChanged } from '@cardinal/contracts';
import { newEvent } from '@cardinal/db';
import type { StoredFile } from '../domain/file.ts';
import type { CoverChange } from '../store/covers.ts';
import type { LinkState } from '../store/linked-files.ts';

export type LinkEvent = EventOf<typeof linkedFileChanged>;

/** The event that tells of a card's new cover, or that it has none. */
export const coverEvent = (
  workspaceId: string,
  { card_id, file_id, version }: CoverChange,
  now: Date,
): EventOf<typeof coverChanged> =>
  newEvent(coverChanged, { workspaceId, aggregate: { id: card_id, version }, data: { card_id, file_id }, now });

/** The event that tells of a subtask's new link, or that it has none. */
export const linkEvent = (
  workspaceId: string,
  { subtask_id, card_id, version }: LinkState,
  file: StoredFile | undefined,
  now: Date,
): LinkEvent =>
  newEvent(linkedFileChanged, {
    workspaceId,
    aggregate: { id: subtask_id, version },
    data: { subtask_id, card_id, file: file ? { id: file.id, name: file.name, board_id: file.board_id } : null },
    now,
  });
