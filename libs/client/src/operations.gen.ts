// Made by libs/client/generate.ts from services/gateway/openapi.json: npm run openapi
import type { CallOptions, Download, PostOptions, Versioned } from './calls.ts';
import type { Listing, ListOptions } from './listing.ts';

export interface CreateBoardInput {
  name: string;
  visibility?: 'workspace' | 'private' | undefined;
  default_workstream_id?: string | null | undefined;
}

export interface PatchBoardInput {
  name?: string | undefined;
  visibility?: 'workspace' | 'private' | undefined;
  default_workstream_id?: string | null | undefined;
}

export interface PutBoardMemberInput {
  role?: 'member' | 'owner' | undefined;
}

export interface CreateColumnInput {
  name: string;
}

export interface PatchColumnInput {
  name?: string | undefined;
  position?: number | 'start' | 'end' | undefined;
}

export interface CreateCardInput {
  title: string;
  description?: string | null | undefined;
  due_date?: string | null | undefined;
  priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
  workstream_id?: string | undefined;
}

export interface PatchCardInput {
  title?: string | undefined;
  description?: string | null | undefined;
  due_date?: string | null | undefined;
  priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
  completed?: boolean | undefined;
  workstream_id?: string | undefined;
}

export interface MoveCardInput {
  column_id?: string | undefined;
  before_card_id?: string | undefined;
  after_card_id?: string | undefined;
  position?: number | 'start' | 'end' | undefined;
}

export interface TransferCardInput {
  workstream_id: string;
}

export interface CreateLabelInput {
  name: string;
  color?: string | undefined;
}

export interface PatchLabelInput {
  name?: string | undefined;
  color?: string | undefined;
}

export interface CreateCommentInput {
  body: string;
}

export interface PatchCommentInput {
  body: string;
}

export interface CreateSubtaskInput {
  title: string;
}

export interface PatchSubtaskInput {
  title?: string | undefined;
  completed?: boolean | undefined;
  before_subtask_id?: string | undefined;
  after_subtask_id?: string | undefined;
  position?: number | 'start' | 'end' | undefined;
}

export interface CreateFileInput {
  name: string;
  /** The file is as visible as this board; without it, in the workspace */
  board_id?: string | null | undefined;
}

export interface CreateWorkstreamInput {
  name: string;
  prefix: string;
  description?: string | null | undefined;
}

export interface PatchWorkstreamInput {
  name?: string | undefined;
  description?: string | null | undefined;
}

export interface Page {
  next_cursor: string | null;
  has_more: boolean;
}

export interface Board {
  id: string;
  type: 'board';
  version: number;
  name: string;
  visibility: 'workspace' | 'private';
  default_workstream_id: string | null;
  archived_at: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface BoardMember {
  board_id: string;
  user_id: string;
  role: 'member' | 'owner';
  created_at: string;
}

export interface WorkstreamSummary {
  id: string;
  name: string;
  prefix: string;
}

export interface Workstream {
  id: string;
  type: 'workstream';
  version: number;
  name: string;
  prefix: string;
  description: string | null;
  is_default: boolean;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface Card {
  id: string;
  type: 'card';
  version: number;
  board_id: string;
  column_id: string;
  title: string;
  description: string | null;
  position: number;
  due_date: string | null;
  priority: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null;
  completed_at: string | null;
  archived_at: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  assignee_user_ids: Array<string>;
  label_ids: Array<string>;
  subtask_total: number;
  subtask_completed: number;
  comment_count: number;
  identifier: string;
  workstream: WorkstreamSummary;
}

export interface Column {
  id: string;
  type: 'column';
  version: number;
  board_id: string;
  name: string;
  position: number;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface Comment {
  id: string;
  type: 'comment';
  version: number;
  card_id: string;
  body: string;
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface Dependency {
  card_id: string;
  depends_on_card_id: string;
  created_at: string;
}

export interface CardSummary {
  id: string;
  identifier: string;
  title: string;
  board_id: string;
  completed_at: string | null;
  archived_at: string | null;
}

export interface DependencyEntry {
  card: CardSummary;
  created_at: string;
}

export interface LinkedFile {
  id: string;
  name: string;
}

export interface Subtask {
  id: string;
  type: 'subtask';
  version: number;
  card_id: string;
  title: string;
  completed_at: string | null;
  position: number;
  linked_file: LinkedFile | null;
  created_at: string;
  updated_at: string;
}

export interface File {
  id: string;
  type: 'file';
  name: string;
  status: 'pending' | 'scanning' | 'clean' | 'infected' | 'rejected';
  /** Why the file was rejected; null in every other state */
  rejection: 'empty' | 'too_large' | 'broken_image' | 'too_many_pixels' | 'too_complex' | 'expired' | 'unchecked' | null;
  /** As its bytes say; null until they were looked at */
  content_type: string | null;
  /** Bytes; null until they have arrived */
  size: number | null;
  board_id: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface NewFile {
  id: string;
  type: 'file';
  name: string;
  status: 'pending' | 'scanning' | 'clean' | 'infected' | 'rejected';
  /** Why the file was rejected; null in every other state */
  rejection: 'empty' | 'too_large' | 'broken_image' | 'too_many_pixels' | 'too_complex' | 'expired' | 'unchecked' | null;
  /** As its bytes say; null until they were looked at */
  content_type: string | null;
  /** Bytes; null until they have arrived */
  size: number | null;
  board_id: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  upload: {
    method: 'PUT';
    url: string;
    headers: Record<string, string>;
    expires_at: string;
  };
}

export interface Cover {
  file_id: string;
  name: string;
  content_type: string;
  width: number;
  height: number;
  renditions: Array<{
    width: number;
    height: number;
    url: string;
  }>;
}

export interface CardReference {
  board_name: string;
  board_archived_at: string | null;
  board_deleted_at: string | null;
  deleted_at: string | null;
  dependency_count: number;
  dependent_count: number;
}

export interface CardLookup {
  card: Card;
  reference: CardReference;
  resolved_identifier: string;
  is_alias: boolean;
  current_identifier: string;
}

export interface IdentifierHistoryEntry {
  identifier: string;
  workstream: WorkstreamSummary;
  is_current: boolean;
  assigned_at: string;
  superseded_at: string | null;
  assigned_by: string;
}

export interface Label {
  id: string;
  type: 'label';
  version: number;
  name: string;
  color: string;
  created_at: string;
  updated_at: string;
}

export interface ErrorBody {
  error: {
    code: 'invalid_request' | 'unauthenticated' | 'insufficient_scope' | 'not_found' | 'method_not_allowed' | 'conflict' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'validation_error' | 'idempotency_key_reused' | 'precondition_required' | 'rate_limited' | 'internal' | 'unavailable';
    message: string;
    request_id: string;
    details?: Array<{
      path: Array<string | number>;
      message: string;
    }> | {
      path: Array<string>;
    } | {
      current_version: number;
    } | undefined;
  };
}

/** Every operation of the API, by resource. */
export interface Operations {
  boards: {
    /** Create a board */
    create(body: CreateBoardInput, options?: PostOptions): Promise<Board>;
    /** List the boards of the workspace */
    list(query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
    }, options?: ListOptions): Listing<Board>;
    /** Read a board */
    get(boardId: string, options?: CallOptions): Promise<Board>;
    /** Edit a board. Its visibility is changed by its creator, its owners and `kanban:admin` only; for others: 403. */
    update(board: Versioned, body: PatchBoardInput, options?: CallOptions): Promise<Board>;
    /** Delete a board. The board leaves every listing. Its cards still answer by id and by identifier, and take no writes. */
    delete(board: Versioned, options?: CallOptions): Promise<void>;
    /** Archive a board. An archived board takes no new columns or cards; its cards stay editable. */
    archive(board: Versioned, options?: PostOptions): Promise<Board>;
    /** Restore an archived board */
    restore(board: Versioned, options?: PostOptions): Promise<Board>;
    /** Make a user a member of a board, in a role. A private board is seen by its creator and its members only. Without a body, or without a role in it, the role is `member`, also for who was an owner. By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403. */
    addMember(boardId: string, userId: string, body?: PutBoardMemberInput, options?: CallOptions): Promise<BoardMember>;
    /** End a user’s membership of a board. By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403. */
    removeMember(boardId: string, userId: string, options?: CallOptions): Promise<void>;
    /** List the members of a board. For everyone who sees the board, and `kanban:admin`. Its creator needs no membership. */
    listMembers(boardId: string, options?: ListOptions): Listing<BoardMember>;
  };
  columns: {
    /** Create a column, the last of its board */
    create(boardId: string, body: CreateColumnInput, options?: PostOptions): Promise<Column>;
    /** List the columns of a board */
    list(boardId: string, query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
    }, options?: ListOptions): Listing<Column>;
    /** Read a column */
    get(columnId: string, options?: CallOptions): Promise<Column>;
    /** Rename or move a column */
    update(column: Versioned, body: PatchColumnInput, options?: CallOptions): Promise<Column>;
    /** Archive a column */
    archive(column: Versioned, options?: PostOptions): Promise<Column>;
    /** Restore an archived column */
    restore(column: Versioned, options?: PostOptions): Promise<Column>;
  };
  cards: {
    /** Create a card at the start of a column. Without `workstream_id` the card is filed under the default workstream of its board, else under that of the workspace. The server gives it the next identifier of its workstream. */
    create(columnId: string, body: CreateCardInput, options?: PostOptions): Promise<Card>;
    /** Read a card */
    get(cardId: string, options?: CallOptions): Promise<Card>;
    /** Edit a card. With `workstream_id` the card is transferred as well, both or neither, and its version rises by two. null clears `description`, `due_date` and `priority`. */
    update(card: Versioned, body: PatchCardInput, options?: CallOptions): Promise<Card>;
    /** Delete a card for good. Its identifiers answer 404 from then on and are never issued again. */
    delete(card: Versioned, options?: CallOptions): Promise<void>;
    /** List the cards of a board. Ordered by column, then position, then id. All filters must hold. */
    list(boardId: string, query?: {
      column_id?: string | undefined;
      assignee_user_id?: string | undefined;
      label_id?: string | undefined;
      workstream_id?: string | undefined;
      priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | undefined;
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
      /** Left out: both completed and incomplete cards */
      completed?: boolean | undefined;
      /** Whether the card has a dependency that is not completed */
      blocked?: boolean | undefined;
      /** Cards that are due before this moment, not at it */
      due_before?: string | undefined;
      /** Cards that are due after this moment, not at it */
      due_after?: string | undefined;
      /** A part of the title as it stands, blanks too; letters by full case folding (`ss` finds `ß`), no wildcards */
      q?: string | undefined;
    }, options?: ListOptions): Listing<Card>;
    /** Move a card within its board. To the start of the column where no place is named. Its identifier stays. */
    move(card: Versioned, body: MoveCardInput, options?: PostOptions): Promise<Card>;
    /** Transfer a card to another workstream. The card gets the next identifier there; its former one stays its alias for ever. */
    transfer(card: Versioned, body: TransferCardInput, options?: PostOptions): Promise<Card>;
    /** Archive a card */
    archive(card: Versioned, options?: PostOptions): Promise<Card>;
    /** Restore an archived card. To its own column, or to the first active one where that is archived. */
    restore(card: Versioned, options?: PostOptions): Promise<Card>;
    /** Assign a card to a user */
    addAssignee(cardId: string, userId: string, options?: CallOptions): Promise<Card>;
    /** Take a card off a user */
    removeAssignee(cardId: string, userId: string, options?: CallOptions): Promise<void>;
    /** Put a label on a card */
    addLabel(cardId: string, labelId: string, options?: CallOptions): Promise<Card>;
    /** Take a label off a card */
    removeLabel(cardId: string, labelId: string, options?: CallOptions): Promise<void>;
    /** Declare that a card depends on another one. Any card of the workspace, on any board. One that would close a cycle: 409; so is one above 1,000 of a card. */
    addDependency(cardId: string, dependsOnCardId: string, options?: CallOptions): Promise<Dependency>;
    /** Remove a dependency. One on a card that the caller cannot see stays; the answer is 204 all the same. */
    removeDependency(cardId: string, dependsOnCardId: string, options?: CallOptions): Promise<void>;
    /** List what a card depends on, oldest first. Cards that the caller cannot see are left out. */
    listDependencies(cardId: string, options?: ListOptions): Listing<DependencyEntry>;
    /** List the cards that depend on a card, oldest first. Cards that the caller cannot see are left out. */
    listDependents(cardId: string, options?: ListOptions): Listing<DependencyEntry>;
    /** Read a card’s cover. 204 where the card has no cover that the caller may see. */
    getCover(cardId: string, options?: CallOptions): Promise<Cover | null>;
    /** Take a card’s cover away */
    removeCover(cardId: string, options?: CallOptions): Promise<void>;
    /** Make a file the cover of a card. A file that is not checked yet: 409; one that failed a check or is no raster image: 422. */
    setCover(cardId: string, fileId: string, options?: CallOptions): Promise<Cover>;
    /** Find a card by an identifier that it has or ever had. In any letter case. `is_alias` and `current_identifier` tell how to update a stale reference. */
    getByIdentifier(identifier: string, options?: CallOptions): Promise<CardLookup>;
    /** List every identifier that a card ever had, oldest first */
    listIdentifiers(cardId: string, options?: ListOptions): Listing<IdentifierHistoryEntry>;
  };
  labels: {
    /** Create a label, known in the whole workspace */
    create(body: CreateLabelInput, options?: PostOptions): Promise<Label>;
    /** List the labels of the workspace */
    list(options?: ListOptions): Listing<Label>;
    /** Read a label */
    get(labelId: string, options?: CallOptions): Promise<Label>;
    /** Edit a label */
    update(label: Versioned, body: PatchLabelInput, options?: CallOptions): Promise<Label>;
    /** Delete a label. Cards that carried it lose it, and their versions rise. */
    delete(label: Versioned, options?: CallOptions): Promise<void>;
  };
  comments: {
    /** Comment on a card */
    create(cardId: string, body: CreateCommentInput, options?: PostOptions): Promise<Comment>;
    /** List the comments of a card, oldest first */
    list(cardId: string, options?: ListOptions): Listing<Comment>;
    /** Read a comment */
    get(commentId: string, options?: CallOptions): Promise<Comment>;
    /** Edit a comment of one’s own. Somebody else’s comment: 403. */
    update(comment: Versioned, body: PatchCommentInput, options?: CallOptions): Promise<Comment>;
    /** Delete a comment of one’s own. Somebody else’s comment: 403. */
    delete(comment: Versioned, options?: CallOptions): Promise<void>;
  };
  subtasks: {
    /** Create a subtask, the last of its card */
    create(cardId: string, body: CreateSubtaskInput, options?: PostOptions): Promise<Subtask>;
    /** List the subtasks of a card in their order */
    list(cardId: string, options?: ListOptions): Listing<Subtask>;
    /** Read a subtask */
    get(subtaskId: string, options?: CallOptions): Promise<Subtask>;
    /** Rename, complete, reopen or place a subtask */
    update(subtask: Versioned, body: PatchSubtaskInput, options?: CallOptions): Promise<Subtask>;
    /** Delete a subtask */
    delete(subtask: Versioned, options?: CallOptions): Promise<void>;
    /** Link a file to a subtask. In place of any other. A file that is not checked yet: 409; one that failed a check: 422. */
    setLinkedFile(subtaskId: string, fileId: string, options?: CallOptions): Promise<File>;
    /** Take a subtask’s link away */
    removeLinkedFile(subtaskId: string, options?: CallOptions): Promise<void>;
  };
  files: {
    /** Create a file. Then send its bytes to `upload.url`, once, before `upload.expires_at`. They are checked; only a `clean` file is served. Refused where the workspace has as many files, or bytes of them, as it may. */
    create(body: CreateFileInput, options?: PostOptions): Promise<NewFile>;
    /** List files, oldest first. Files of boards that the caller cannot see are left out. */
    list(options?: ListOptions): Listing<File>;
    /** Read a file’s state */
    get(fileId: string, options?: CallOptions): Promise<File>;
    /** Delete a file. The covers and links that it is vanish with it. */
    delete(fileId: string, options?: CallOptions): Promise<void>;
    /** Download a file. Redirects to the bytes of a clean file. One that is not checked yet: 409; one that failed a check: 422. */
    getContent(fileId: string, options?: CallOptions): Promise<Download>;
  };
  workstreams: {
    /** Create a workstream. Its prefix can never change, and no other workstream of the workspace can ever have it. */
    create(body: CreateWorkstreamInput, options?: PostOptions): Promise<Workstream>;
    /** List the workstreams of the workspace */
    list(query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
    }, options?: ListOptions): Listing<Workstream>;
    /** Read a workstream */
    get(workstreamId: string, options?: CallOptions): Promise<Workstream>;
    /** Edit the name or description of a workstream */
    update(workstream: Versioned, body: PatchWorkstreamInput, options?: CallOptions): Promise<Workstream>;
    /** Archive a workstream. No card can be created in it or transferred to it any more; its cards keep their identifiers. */
    archive(workstream: Versioned, options?: PostOptions): Promise<Workstream>;
  };
}

/** How each is asked for. */
export const operations = {
  boards: {
    create: { id: 'createBoard', method: 'POST', path: '/boards', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listBoards', method: 'GET', path: '/boards', hasQuery: true, result: 'list' },
    get: { id: 'getBoard', method: 'GET', path: '/boards/{board_id}', result: 'data' },
    update: { id: 'patchBoard', method: 'PATCH', path: '/boards/{board_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteBoard', method: 'DELETE', path: '/boards/{board_id}', isVersioned: true, result: 'nothing' },
    archive: { id: 'archiveBoard', method: 'POST', path: '/boards/{board_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
    restore: { id: 'restoreBoard', method: 'POST', path: '/boards/{board_id}/restore', isVersioned: true, hasKey: true, result: 'data' },
    addMember: { id: 'putBoardMember', method: 'PUT', path: '/boards/{board_id}/members/{user_id}', hasBody: true, result: 'data' },
    removeMember: { id: 'deleteBoardMember', method: 'DELETE', path: '/boards/{board_id}/members/{user_id}', result: 'nothing' },
    listMembers: { id: 'listBoardMembers', method: 'GET', path: '/boards/{board_id}/members', result: 'list' },
  },
  columns: {
    create: { id: 'createColumn', method: 'POST', path: '/boards/{board_id}/columns', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listColumns', method: 'GET', path: '/boards/{board_id}/columns', hasQuery: true, result: 'list' },
    get: { id: 'getColumn', method: 'GET', path: '/columns/{column_id}', result: 'data' },
    update: { id: 'patchColumn', method: 'PATCH', path: '/columns/{column_id}', isVersioned: true, hasBody: true, result: 'data' },
    archive: { id: 'archiveColumn', method: 'POST', path: '/columns/{column_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
    restore: { id: 'restoreColumn', method: 'POST', path: '/columns/{column_id}/restore', isVersioned: true, hasKey: true, result: 'data' },
  },
  cards: {
    create: { id: 'createCard', method: 'POST', path: '/columns/{column_id}/cards', hasKey: true, hasBody: true, result: 'data' },
    get: { id: 'getCard', method: 'GET', path: '/cards/{card_id}', result: 'data' },
    update: { id: 'patchCard', method: 'PATCH', path: '/cards/{card_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteCard', method: 'DELETE', path: '/cards/{card_id}', isVersioned: true, result: 'nothing' },
    list: { id: 'listCards', method: 'GET', path: '/boards/{board_id}/cards', hasQuery: true, result: 'list' },
    move: { id: 'moveCard', method: 'POST', path: '/cards/{card_id}/move', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    transfer: { id: 'transferCard', method: 'POST', path: '/cards/{card_id}/workstream', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    archive: { id: 'archiveCard', method: 'POST', path: '/cards/{card_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
    restore: { id: 'restoreCard', method: 'POST', path: '/cards/{card_id}/restore', isVersioned: true, hasKey: true, result: 'data' },
    addAssignee: { id: 'putCardAssignee', method: 'PUT', path: '/cards/{card_id}/assignees/{user_id}', result: 'data' },
    removeAssignee: { id: 'deleteCardAssignee', method: 'DELETE', path: '/cards/{card_id}/assignees/{user_id}', result: 'nothing' },
    addLabel: { id: 'putCardLabel', method: 'PUT', path: '/cards/{card_id}/labels/{label_id}', result: 'data' },
    removeLabel: { id: 'deleteCardLabel', method: 'DELETE', path: '/cards/{card_id}/labels/{label_id}', result: 'nothing' },
    addDependency: { id: 'putDependency', method: 'PUT', path: '/cards/{card_id}/dependencies/{depends_on_card_id}', result: 'data' },
    removeDependency: { id: 'deleteDependency', method: 'DELETE', path: '/cards/{card_id}/dependencies/{depends_on_card_id}', result: 'nothing' },
    listDependencies: { id: 'listDependencies', method: 'GET', path: '/cards/{card_id}/dependencies', result: 'list' },
    listDependents: { id: 'listDependents', method: 'GET', path: '/cards/{card_id}/dependents', result: 'list' },
    getCover: { id: 'getCover', method: 'GET', path: '/cards/{card_id}/cover', result: 'data' },
    removeCover: { id: 'deleteCover', method: 'DELETE', path: '/cards/{card_id}/cover', result: 'nothing' },
    setCover: { id: 'putCover', method: 'PUT', path: '/cards/{card_id}/cover/{file_id}', result: 'data' },
    getByIdentifier: { id: 'getCardByIdentifier', method: 'GET', path: '/cards/by-identifier/{identifier}', result: 'data' },
    listIdentifiers: { id: 'listIdentifiers', method: 'GET', path: '/cards/{card_id}/identifiers', result: 'list' },
  },
  labels: {
    create: { id: 'createLabel', method: 'POST', path: '/labels', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listLabels', method: 'GET', path: '/labels', result: 'list' },
    get: { id: 'getLabel', method: 'GET', path: '/labels/{label_id}', result: 'data' },
    update: { id: 'patchLabel', method: 'PATCH', path: '/labels/{label_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteLabel', method: 'DELETE', path: '/labels/{label_id}', isVersioned: true, result: 'nothing' },
  },
  comments: {
    create: { id: 'createComment', method: 'POST', path: '/cards/{card_id}/comments', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listComments', method: 'GET', path: '/cards/{card_id}/comments', result: 'list' },
    get: { id: 'getComment', method: 'GET', path: '/comments/{comment_id}', result: 'data' },
    update: { id: 'patchComment', method: 'PATCH', path: '/comments/{comment_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteComment', method: 'DELETE', path: '/comments/{comment_id}', isVersioned: true, result: 'nothing' },
  },
  subtasks: {
    create: { id: 'createSubtask', method: 'POST', path: '/cards/{card_id}/subtasks', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listSubtasks', method: 'GET', path: '/cards/{card_id}/subtasks', result: 'list' },
    get: { id: 'getSubtask', method: 'GET', path: '/subtasks/{subtask_id}', result: 'data' },
    update: { id: 'patchSubtask', method: 'PATCH', path: '/subtasks/{subtask_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteSubtask', method: 'DELETE', path: '/subtasks/{subtask_id}', isVersioned: true, result: 'nothing' },
    setLinkedFile: { id: 'putLinkedFile', method: 'PUT', path: '/subtasks/{subtask_id}/linked-file/{file_id}', result: 'data' },
    removeLinkedFile: { id: 'deleteLinkedFile', method: 'DELETE', path: '/subtasks/{subtask_id}/linked-file', result: 'nothing' },
  },
  files: {
    create: { id: 'createFile', method: 'POST', path: '/files', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listFiles', method: 'GET', path: '/files', result: 'list' },
    get: { id: 'getFile', method: 'GET', path: '/files/{file_id}', result: 'data' },
    delete: { id: 'deleteFile', method: 'DELETE', path: '/files/{file_id}', result: 'nothing' },
    getContent: { id: 'getFileContent', method: 'GET', path: '/files/{file_id}/content', result: 'content' },
  },
  workstreams: {
    create: { id: 'createWorkstream', method: 'POST', path: '/workstreams', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listWorkstreams', method: 'GET', path: '/workstreams', hasQuery: true, result: 'list' },
    get: { id: 'getWorkstream', method: 'GET', path: '/workstreams/{workstream_id}', result: 'data' },
    update: { id: 'patchWorkstream', method: 'PATCH', path: '/workstreams/{workstream_id}', isVersioned: true, hasBody: true, result: 'data' },
    archive: { id: 'archiveWorkstream', method: 'POST', path: '/workstreams/{workstream_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
  },
} as const;
