export type {
  Board,
  Card,
  Column,
  Comment,
  Cover,
  Dependency,
  File,
  IdentifierHistoryEntry,
  Label,
  Subtask,
  Workstream,
} from '@cardinal/contracts';
export { ApiError, type ApiErrorCode, type ApiErrorDetails } from './api-error.ts';
export { type CardinalClient, type ClientOptions, createClient } from './client.ts';
export { ConnectionError } from './connection-error.ts';
export { FileNotCleanError } from './file-not-clean-error.ts';
export type { Download } from './files/download.ts';
export type { FileBytes } from './files/file-bytes.ts';
export type { WaitOptions } from './files/until-clean.ts';
export type { Listing, ListOptions, Page } from './listing.ts';
export type { BoardChanges, BoardMember, MemberRole, NewBoard } from './resources/boards.ts';
export type { CardChanges, CardListFilters, CardPlace, NewCard, ResolvedCard } from './resources/cards.ts';
export type { ColumnChanges, NewColumn } from './resources/columns.ts';
export type { CommentChanges, NewComment } from './resources/comments.ts';
export type { DependencyEntry } from './resources/dependencies.ts';
export type { CreatedFile, NewFile, UploadOptions } from './resources/files.ts';
export type { LabelChanges, NewLabel } from './resources/labels.ts';
export type { NewSubtask, SubtaskChanges } from './resources/subtasks.ts';
export type { Versioned } from './resources/versioned.ts';
export type { NewWorkstream, WorkstreamChanges } from './resources/workstreams.ts';
export type { RetryPolicy } from './retry.ts';
export type { CallOptions, PostOptions, Reply } from './transport.ts';
