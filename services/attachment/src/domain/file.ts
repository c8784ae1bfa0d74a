import type { File, FileRejection, FileStatus } from '@cardinal/contracts';

/** An image of the same look that is stored beside a file. */
export interface StoredRendition {
  width: number;
  height: number;
  /** Bytes; none where it was stored before they were counted. */
  size?: number;
  key: string;
}

/** A file as it is kept. */
export interface StoredFile {
  workspace_id: string;
  id: string;
  name: string;
  board_id: string | null;
  status: FileStatus;
  rejection: FileRejection | null;
  content_type: string | null;
  size: number | null;
  storage_key: string | null;
  width: number | null;
  height: number | null;
  renditions: StoredRendition[];
  created_by: string;
  created_at: Date;
  updated_at: Date;
  upload_expires_at: Date;
  uploaded_at: Date | null;
}

interface NewFile {
  id: string;
  workspaceId: string;
  userId: string;
  name: string;
  boardId: string | null;
  now: Date;
  /** How long the upload may begin, in milliseconds. */
  uploadTtlMs: number;
}

/** A file whose bytes are still to come. */
export const newFile = ({ id, workspaceId, userId, name, boardId, now, uploadTtlMs }: NewFile): StoredFile => ({
  workspace_id: workspaceId,
  id,
  name,
  board_id: boardId,
  status: 'pending',
  rejection: null,
  content_type: null,
  size: null,
  storage_key: null,
  width: null,
  height: null,
  renditions: [],
  created_by: userId,
  created_at: now,
  updated_at: now,
  upload_expires_at: new Date(now.getTime() + uploadTtlMs),
  uploaded_at: null,
});

/** The file as clients see it. */
export const toFile = (stored: StoredFile): File => ({
  id: stored.id,
  type: 'file',
  name: stored.name,
  status: stored.status,
  rejection: stored.rejection,
  content_type: stored.content_type,
  size: stored.size,
  board_id: stored.board_id,
  created_by: stored.created_by,
  created_at: stored.created_at.toISOString(),
  updated_at: stored.updated_at.toISOString(),
});
