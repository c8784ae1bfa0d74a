import { coverChanged, type EventOf, linkedFileChanged } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { StoredFile } from '../domain/file.ts';
import type { CoverChange } from '../store/covers.ts';
import type { LinkState } from '../store/linked-files.ts';

const envelope = (workspaceId: string, now: Date) => {
  const id = v7();
  return {
    id,
    occurred_at: now.toISOString(),
    workspace_id: workspaceId,
    request_id: currentContext()?.requestId ?? id,
  };
};

export type LinkEvent = EventOf<typeof linkedFileChanged>;

/** The event that tells of a card's new cover, or that it has none. */
export const coverEvent = (
  workspaceId: string,
  { card_id, file_id, version }: CoverChange,
  now: Date,
): EventOf<typeof coverChanged> => ({
  ...envelope(workspaceId, now),
  type: coverChanged.type,
  version: coverChanged.version,
  aggregate_id: card_id,
  aggregate_version: version,
  data: { card_id, file_id },
});

/** The event that tells of a subtask's new link, or that it has none. */
export const linkEvent = (
  workspaceId: string,
  { subtask_id, card_id, version }: LinkState,
  file: StoredFile | undefined,
  now: Date,
): LinkEvent => ({
  ...envelope(workspaceId, now),
  type: linkedFileChanged.type,
  version: linkedFileChanged.version,
  aggregate_id: subtask_id,
  aggregate_version: version,
  data: { subtask_id, card_id, file: file ? { id: file.id, name: file.name, board_id: file.board_id } : null },
});
