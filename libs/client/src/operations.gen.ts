// Made by libs/client/generate.ts from services/gateway/openapi.json: npm run openapi
import type { CallOptions, ConditionalOptions, Download, FollowOptions, Listing, ListOptions, PatchOptions, PostOptions, Versioned } from './options.ts';

/** What is sent to create a board. */
export interface CreateBoardInput {
  /** What it is called. */
  name: string;
  /** Who sees it: everyone in the workspace, or its creator and its members. Default: `"workspace"`. */
  visibility?: 'workspace' | 'private' | undefined;
  /** The workstream of cards that name none; null is that of the workspace. Default: `null`. */
  default_workstream_id?: string | null | undefined;
}

/** What is sent to edit a board. */
export interface PatchBoardInput {
  /** What it is called. */
  name?: string | undefined;
  /** Who sees it: everyone in the workspace, or its creator and its members. */
  visibility?: 'workspace' | 'private' | undefined;
  /** The workstream of cards that name none; null is that of the workspace. */
  default_workstream_id?: string | null | undefined;
}

/** What is sent to make a user a member of a board, in a role. */
export interface PutBoardMemberInput {
  /** An owner manages the board as its creator does; left out, a member’s role stays. */
  role?: 'member' | 'owner' | undefined;
}

/** What is sent to create a column, the last of its board. */
export interface CreateColumnInput {
  /** What it is called. */
  name: string;
}

/** What is sent to rename or move a column. */
export interface PatchColumnInput {
  /** What it is called. */
  name?: string | undefined;
  /** A number between those of its neighbors, or `start` or `end`. */
  position?: number | 'start' | 'end' | undefined;
}

/** What is sent to create a card at the start of a column. */
export interface CreateCardInput {
  /** What is to be done. */
  title: string;
  /** More of it; null for nothing. */
  description?: string | null | undefined;
  /** When it must be done; null for no such time. */
  due_date?: string | null | undefined;
  /** How urgent it is; null when it is not set. */
  priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
  /** The workstream that gives it its identifier. */
  workstream_id?: string | undefined;
  /** The users who work on it. */
  assignee_user_ids?: Array<string> | undefined;
  /** The labels that it carries; all are there, or no card is made. */
  label_ids?: Array<string> | undefined;
}

/** What is sent to edit a card. */
export interface PatchCardInput {
  /** What is to be done. */
  title?: string | undefined;
  /** More of it; null for nothing. */
  description?: string | null | undefined;
  /** When it must be done; null for no such time. */
  due_date?: string | null | undefined;
  /** How urgent it is; null when it is not set. */
  priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
  /** Whether it is done. */
  completed?: boolean | undefined;
  /** The workstream that gives it its identifier. */
  workstream_id?: string | undefined;
}

/** What is sent to move a card. */
export interface MoveCardInput {
  /** The column that it goes to, of its board; without it, its own. */
  column_id?: string | undefined;
  /** The card that it goes before. */
  before_card_id?: string | undefined;
  /** The card that it goes after. */
  after_card_id?: string | undefined;
  /** A number between those of its neighbors, or `start` or `end`. */
  position?: number | 'start' | 'end' | undefined;
}

/** What is sent to transfer a card to another workstream. */
export interface TransferCardInput {
  /** The workstream that gives it its identifier. */
  workstream_id: string;
}

/** What is sent to change up to 100 cards in one way. */
export interface BulkCardsInput {
  /** The cards, each once. */
  cards: Array<{
    /** The card: its id, or an identifier that it has or ever had. */
    card: string;
    /** The version that it must have; may be left out for labels and assignees alone. */
    version?: number | undefined;
  }>;
  /** Transfers them to another workstream. */
  transfer?: {
    /** The workstream that gives it its identifier. */
    workstream_id: string;
  } | undefined;
  /** Edits them, as `PATCH /cards/{card_id}` does. */
  patch?: {
    /** What is to be done. */
    title?: string | undefined;
    /** More of it; null for nothing. */
    description?: string | null | undefined;
    /** When it must be done; null for no such time. */
    due_date?: string | null | undefined;
    /** How urgent it is; null when it is not set. */
    priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
    /** Whether it is done. */
    completed?: boolean | undefined;
    /** The workstream that gives it its identifier. */
    workstream_id?: string | undefined;
  } | undefined;
  /** Moves them one after the other, in their order. */
  move?: {
    /** The column that it goes to, of its board; without it, its own. */
    column_id?: string | undefined;
    /** The card that it goes before. */
    before_card_id?: string | undefined;
    /** The card that it goes after. */
    after_card_id?: string | undefined;
    /** A number between those of its neighbors, or `start` or `end`. */
    position?: number | 'start' | 'end' | undefined;
  } | undefined;
  /** Archives them. */
  archive?: true | undefined;
  /** Restores them. */
  restore?: true | undefined;
  /** Puts labels on them. */
  add_labels?: Array<string> | undefined;
  /** Takes labels off them. */
  remove_labels?: Array<string> | undefined;
  /** Assigns them to users. */
  add_assignees?: Array<string> | undefined;
  /** Takes them off users. */
  remove_assignees?: Array<string> | undefined;
}

/** What is sent to create a label, known in the whole workspace. */
export interface CreateLabelInput {
  /** What it is called. */
  name: string;
  /** Red, green and blue in hexadecimal. Default: `"#8b949e"`. */
  color?: string | undefined;
}

/** What is sent to edit a label. */
export interface PatchLabelInput {
  /** What it is called. */
  name?: string | undefined;
  /** Red, green and blue in hexadecimal. */
  color?: string | undefined;
}

/** What is sent to comment on a card. */
export interface CreateCommentInput {
  /** Kept as it was sent; not blank. */
  body: string;
}

/** What is sent to edit a comment of one’s own. */
export interface PatchCommentInput {
  /** Kept as it was sent; not blank. */
  body: string;
}

/** What is sent to create a subtask, the last of its card. */
export interface CreateSubtaskInput {
  /** What is to be done. */
  title: string;
}

/** What is sent to rename, complete, reopen or place a subtask. */
export interface PatchSubtaskInput {
  /** What is to be done. */
  title?: string | undefined;
  /** Whether it is done. */
  completed?: boolean | undefined;
  /** The subtask that it goes before. */
  before_subtask_id?: string | undefined;
  /** The subtask that it goes after. */
  after_subtask_id?: string | undefined;
  /** A number between those of its neighbors, or `start` or `end`. */
  position?: number | 'start' | 'end' | undefined;
}

/** What is sent to create a file. */
export interface CreateFileInput {
  /** What it is called. */
  name: string;
  /** The file is as visible as this board; without it, in the workspace Default: `null`. */
  board_id?: string | null | undefined;
}

/** What is sent to find the cards of many identifiers, or of those in a text. */
export interface ResolveIdentifiersInput {
  /** Identifiers in any letter case; what is none leads to no card. */
  identifiers?: Array<string> | undefined;
  /** A text of at most 64 KiB, whose references are found. */
  text?: string | undefined;
  /** Whether identifiers of the text count in any letter case, and not in capitals alone. Default: `false`. */
  any_case?: boolean | undefined;
}

/** What is sent to create a webhook. */
export interface CreateWebhookInput {
  /** Where events are sent: `https`, without a password. */
  url: string;
  /** The types to send, such as `card.created`, or `card.*` for all that begin so; none: every type. Default: `[]`. */
  types?: Array<EventTypeFilter> | undefined;
  /** The only board whose events to send; null for all. Default: `null`. */
  board_id?: string | null | undefined;
  /** Send only events that change one of these fields, so neither creations nor deletions; none: every event of its types. Default: `[]`. */
  changed?: Array<ChangedFilter> | undefined;
  /** Whether to send events of private boards that its creator sees. Those of the board in `board_id` are sent in either case. Default: `false`. */
  private_boards?: boolean | undefined;
  /** What it is for; null for nothing. Default: `null`. */
  description?: string | null | undefined;
}

/** What is sent to edit, pause or enable a webhook. */
export interface PatchWebhookInput {
  /** Where events are sent: `https`, without a password. */
  url?: string | undefined;
  /** The types to send, such as `card.created`, or `card.*` for all that begin so; none: every type. */
  types?: Array<EventTypeFilter> | undefined;
  /** The only board whose events to send; null for all. */
  board_id?: string | null | undefined;
  /** Send only events that change one of these fields, so neither creations nor deletions; none: every event of its types. */
  changed?: Array<ChangedFilter> | undefined;
  /** Whether to send events of private boards that its creator sees. Those of the board in `board_id` are sent in either case. */
  private_boards?: boolean | undefined;
  /** What it is for; null for nothing. */
  description?: string | null | undefined;
  /** `active` goes on where it stood, and tries at once what waits; `paused` sends nothing. */
  state?: 'active' | 'paused' | undefined;
}

/** What is sent to send events again. */
export interface ReplayWebhookInput {
  /** Events with a greater `seq` are sent again, */
  after: number;
  /** up to this one; left out: all that were passed. */
  until?: number | undefined;
}

/** What is sent to create a workstream. */
export interface CreateWorkstreamInput {
  /** What it is called. */
  name: string;
  /** What its identifiers begin with: 2 to 10 letters or digits, the first a letter; kept in upper case. */
  prefix: string;
  /** What it is for; null for nothing. */
  description?: string | null | undefined;
  /** Whether it is to take cards with identifiers of their own, which it issues none of until it is opened. */
  adopting?: boolean | undefined;
}

/** What is sent to edit the name or description of a workstream. */
export interface PatchWorkstreamInput {
  /** What it is called. */
  name?: string | undefined;
  /** What it is for; null for nothing. */
  description?: string | null | undefined;
}

/** What is sent to adopt cards with the identifiers that they have. */
export interface AdoptCardsInput {
  /** The cards. */
  cards: Array<{
    /** The number of its identifier. */
    number: number;
    /** Its earlier identifiers, oldest first, each of an adopting workstream. */
    former?: Array<string> | undefined;
    /** The column that it comes to. */
    column_id: string;
    /** What is to be done. */
    title: string;
    /** More of it; null for nothing. */
    description?: string | null | undefined;
    /** When it must be done; null for no such time. */
    due_date?: string | null | undefined;
    /** How urgent it is; null when it is not set. */
    priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null | undefined;
    /** The users who work on it. */
    assignee_user_ids?: Array<string> | undefined;
    /** The labels that it carries. */
    label_ids?: Array<string> | undefined;
    /** When it was completed; null while it is open. */
    completed_at?: string | null | undefined;
    /** When it was archived; null while it is active. */
    archived_at?: string | null | undefined;
    /** When it was created, 1970 at the earliest; left out, when its workstream was. Its id is made of this time and its identifier. */
    created_at?: string | undefined;
    /** Who created it; left out, the caller. */
    created_by?: string | undefined;
  }>;
}

/** What is sent to let a workstream that adopted issue its own numbers, for ever. */
export interface OpenWorkstreamInput {
  /** The first number to be issued. */
  next_number?: number | undefined;
}

/** What is sent to create an API key. */
export interface CreateApiKeyInput {
  /** What it is for. */
  name: string;
  /** At most your own. */
  scope: 'kanban:read' | 'kanban:write' | 'kanban:admin';
  /** When it ends: in the future, and at most 366 days away; default: in 90 days. The operator may set another bound, or none: then null is for never. */
  expires_at?: string | null | undefined;
  /** The user whom it stands for; default: yourself. */
  user_id?: string | undefined;
}

/** What is sent to give an API key a new text. */
export interface RotateApiKeyInput {
  /** Seconds for which the former text stays valid. Default: `0`. */
  grace_seconds?: number | undefined;
}

/** What is sent to revoke all API keys of a user. */
export interface RevokeApiKeysOfUserInput {
  /** The user. */
  user_id: string;
}

/** What is sent to add a person. */
export interface AddPersonInput {
  /** What they are called; several may be called the same. */
  name: string;
  /** Their e-mail address, which nobody else has; null for none. Default: `null`. */
  email?: string | null | undefined;
  /** Whether it is a machine. An admin alone changes it. Default: `"person"`. */
  kind?: 'person' | 'machine' | undefined;
  /** The id that stands for them, as the issuer has it; default: a new one. */
  user_id?: string | undefined;
}

/** What is sent to edit a person. */
export interface PatchPersonInput {
  /** What they are called; several may be called the same. */
  name?: string | undefined;
  /** Their e-mail address, which nobody else has; null for none. */
  email?: string | null | undefined;
  /** Whether it is a machine. An admin alone changes it. */
  kind?: 'person' | 'machine' | undefined;
}

/** Where a list goes on. */
export interface Page {
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
  /** Whether there is a next page. */
  has_more: boolean;
}

/** Where a list of events goes on, and how far the log is. */
export interface PageOfLog {
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
  /** Whether there is a next page. */
  has_more: boolean;
  /** The highest `seq` in the log; 0 for none. Nothing in the page is newer. */
  head: number;
}

/** What a card shows of its workstream. */
export interface WorkstreamSummary {
  /** Its id. */
  id: string;
  /** What it is called. */
  name: string;
  /** What its identifiers begin with. */
  prefix: string;
}

/** A row of identifiers: `PAY-1`, `PAY-2`, … */
export interface Workstream {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'workstream';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** What it is called. */
  name: string;
  /** What its identifiers begin with; it never changes. */
  prefix: string;
  /** What it is for. */
  description: string | null;
  /** Whether it takes the cards of boards that name no workstream. */
  is_default: boolean;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** Whether it takes cards with identifiers of their own, and issues none until it is opened. */
  adopting: boolean;
}

/** A piece of work, with an identifier that never breaks. */
export interface Card {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'card';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** The board that it is on. */
  board_id: string;
  /** The column that it is in. */
  column_id: string;
  /** What is to be done. */
  title: string;
  /** More of it; null for nothing. */
  description: string | null;
  /** Its place in the column, ascending from the top. */
  position: number;
  /** When it must be done; null for no such time. */
  due_date: string | null;
  /** How urgent it is; null when it is not set. */
  priority: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | null;
  /** When it was completed; null while it is open. */
  completed_at: string | null;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** The users who work on it. */
  assignee_user_ids: Array<string>;
  /** The labels that it carries. */
  label_ids: Array<string>;
  /** How many subtasks it has. */
  subtask_total: number;
  /** How many of them are completed. */
  subtask_completed: number;
  /** How many comments it has. */
  comment_count: number;
  /** Its identifier at present; every former one stays its alias. */
  identifier: string;
  workstream: WorkstreamSummary;
}

/** Why one of several things was not done. */
export interface ItemError {
  /** What is wrong, for programs. */
  code: 'invalid_request' | 'unauthenticated' | 'insufficient_scope' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'gone' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'validation_error' | 'idempotency_key_reused' | 'precondition_required' | 'rate_limited' | 'internal' | 'unavailable';
  /** What is wrong, for people. */
  message: string;
  /** Further details, where there are any: broken fields, the cards of a cycle, the current version, the card that has an identifier, or the oldest event that is kept. */
  details?: Array<{
    /** Where: names of fields, from outside. */
    path: Array<string | number>;
    /** The rule that it breaks, in words. */
    message: string;
  }> | {
    /** Identifiers of the cards of the cycle. */
    path: Array<string>;
  } | {
    /** The version that the resource has now. */
    current_version: number;
    /** What changed it since the version in `If-Match`, oldest first, the newest 100. Left out for one of many cards. */
    changes?: Array<{
      /** The version that it made. */
      version: number;
      /** The type of its event. */
      type: 'board.created' | 'board.updated' | 'board.archived' | 'board.restored' | 'board.deleted' | 'card.created' | 'card.updated' | 'card.moved' | 'card.transferred' | 'card.archived' | 'card.restored' | 'card.deleted' | 'column.created' | 'column.updated' | 'column.archived' | 'column.restored' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'cover.set' | 'cover.cleared' | 'dependency.added' | 'dependency.removed' | 'feed.reset' | 'file.created' | 'file.updated' | 'file.deleted' | 'label.created' | 'label.updated' | 'label.deleted' | 'linked_file.set' | 'linked_file.cleared' | 'member.added' | 'member.removed' | 'subtask.created' | 'subtask.updated' | 'subtask.deleted' | 'workstream.created' | 'workstream.updated' | 'workstream.archived' | 'workstream.opened';
      /** When it happened. */
      at: string;
      /** Who did it. */
      user_id: string;
      /** The fields that differ since, also by the names that a `PATCH` has for them. */
      changed: Array<string>;
    }> | undefined;
    /** Whether `changes` has every change. False where the log does not reach back, or is not up to date within 100 ms. */
    complete?: boolean | undefined;
  } | {
    identifier: string;
    card_id: string | null;
  } | {
    /** The `seq` of the oldest event that is kept. */
    oldest: number;
  } | undefined;
}

/** Every error has this shape. */
export interface ErrorBody {
  /** What went wrong. */
  error: {
    /** What is wrong, for programs. */
    code: 'invalid_request' | 'unauthenticated' | 'insufficient_scope' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'gone' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'validation_error' | 'idempotency_key_reused' | 'precondition_required' | 'rate_limited' | 'internal' | 'unavailable';
    /** What is wrong, for people. */
    message: string;
    /** The `X-Request-Id` of the answer. */
    request_id: string;
    /** Further details, where there are any: broken fields, the cards of a cycle, the current version, the card that has an identifier, or the oldest event that is kept. */
    details?: Array<{
      /** Where: names of fields, from outside. */
      path: Array<string | number>;
      /** The rule that it breaks, in words. */
      message: string;
    }> | {
      /** Identifiers of the cards of the cycle. */
      path: Array<string>;
    } | {
      /** The version that the resource has now. */
      current_version: number;
      /** What changed it since the version in `If-Match`, oldest first, the newest 100. Left out for one of many cards. */
      changes?: Array<{
        /** The version that it made. */
        version: number;
        /** The type of its event. */
        type: 'board.created' | 'board.updated' | 'board.archived' | 'board.restored' | 'board.deleted' | 'card.created' | 'card.updated' | 'card.moved' | 'card.transferred' | 'card.archived' | 'card.restored' | 'card.deleted' | 'column.created' | 'column.updated' | 'column.archived' | 'column.restored' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'cover.set' | 'cover.cleared' | 'dependency.added' | 'dependency.removed' | 'feed.reset' | 'file.created' | 'file.updated' | 'file.deleted' | 'label.created' | 'label.updated' | 'label.deleted' | 'linked_file.set' | 'linked_file.cleared' | 'member.added' | 'member.removed' | 'subtask.created' | 'subtask.updated' | 'subtask.deleted' | 'workstream.created' | 'workstream.updated' | 'workstream.archived' | 'workstream.opened';
        /** When it happened. */
        at: string;
        /** Who did it. */
        user_id: string;
        /** The fields that differ since, also by the names that a `PATCH` has for them. */
        changed: Array<string>;
      }> | undefined;
      /** Whether `changes` has every change. False where the log does not reach back, or is not up to date within 100 ms. */
      complete?: boolean | undefined;
    } | {
      identifier: string;
      card_id: string | null;
    } | {
      /** The `seq` of the oldest event that is kept. */
      oldest: number;
    } | undefined;
  };
}

/** What became of one card: it is in `data`, or `error` says why it was refused. */
export interface Adoption {
  /** The identifier that it was to have. */
  identifier: string;
  /** 201, or the status that belongs to the code of the error. */
  status: number;
  data?: Card | undefined;
  error?: ItemError | undefined;
}

/** A credential that stays. */
export interface ApiKey {
  /** Its id. */
  id: string;
  /** What it is for. */
  name: string;
  /** The user whom it stands for. */
  user_id: string;
  /** What it may do; each scope includes those before it. */
  scope: 'kanban:read' | 'kanban:write' | 'kanban:admin';
  /** Whether it may be used. */
  state: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  created_at: string;
  /** The user who created it. */
  created_by: string;
  /** The key that it was created with; null for a token. */
  created_with: string | null;
  /** When it ends; null for never. */
  expires_at: string | null;
  /** When it was revoked. */
  revoked_at: string | null;
  /** When it was last used, to the minute. */
  last_used_at: string | null;
}

/** A credential that stays, with its text. */
export interface ApiKeyWithText {
  /** Its id. */
  id: string;
  /** What it is for. */
  name: string;
  /** The user whom it stands for. */
  user_id: string;
  /** What it may do; each scope includes those before it. */
  scope: 'kanban:read' | 'kanban:write' | 'kanban:admin';
  /** Whether it may be used. */
  state: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  created_at: string;
  /** The user who created it. */
  created_by: string;
  /** The key that it was created with; null for a token. */
  created_with: string | null;
  /** When it ends; null for never. */
  expires_at: string | null;
  /** When it was revoked. */
  revoked_at: string | null;
  /** When it was last used, to the minute. */
  last_used_at: string | null;
  /** Its text, this once; null in a replay of the request, since nobody keeps it. */
  key: string | null;
}

/** How many keys were revoked. */
export interface RevokedApiKeys {
  /** Keys that were active. */
  revoked: number;
}

/** Columns of cards, seen by the workspace or by its members. */
export interface Board {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'board';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** What it is called. */
  name: string;
  /** Who sees it: everyone in the workspace, or its creator and its members. */
  visibility: 'workspace' | 'private';
  /** The workstream of cards that name none; null is that of the workspace. */
  default_workstream_id: string | null;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** A user who sees a private board besides its creator. */
export interface BoardMember {
  /** The board. */
  board_id: string;
  /** The user. */
  user_id: string;
  /** An owner manages the board as its creator does. */
  role: 'member' | 'owner';
  /** Since when. */
  created_at: string;
}

/** What became of one card: `data` where it was changed, else `error`. */
export interface BulkItem {
  /** The card as it was named. */
  card: string;
  /** The status that the request for this card alone would have had. */
  status: number;
  /** The card after the change. */
  data?: Card | undefined;
  /** Why nothing was changed. */
  error?: {
    /** What is wrong, for programs. */
    code: 'invalid_request' | 'unauthenticated' | 'insufficient_scope' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'gone' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'validation_error' | 'idempotency_key_reused' | 'precondition_required' | 'rate_limited' | 'internal' | 'unavailable';
    /** What is wrong, for people. */
    message: string;
    /** The `X-Request-Id` of the answer. */
    request_id: string;
    /** Further details, where there are any: broken fields, the cards of a cycle, the current version, the card that has an identifier, or the oldest event that is kept. */
    details?: Array<{
      /** Where: names of fields, from outside. */
      path: Array<string | number>;
      /** The rule that it breaks, in words. */
      message: string;
    }> | {
      /** Identifiers of the cards of the cycle. */
      path: Array<string>;
    } | {
      /** The version that the resource has now. */
      current_version: number;
      /** What changed it since the version in `If-Match`, oldest first, the newest 100. Left out for one of many cards. */
      changes?: Array<{
        /** The version that it made. */
        version: number;
        /** The type of its event. */
        type: 'board.created' | 'board.updated' | 'board.archived' | 'board.restored' | 'board.deleted' | 'card.created' | 'card.updated' | 'card.moved' | 'card.transferred' | 'card.archived' | 'card.restored' | 'card.deleted' | 'column.created' | 'column.updated' | 'column.archived' | 'column.restored' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'cover.set' | 'cover.cleared' | 'dependency.added' | 'dependency.removed' | 'feed.reset' | 'file.created' | 'file.updated' | 'file.deleted' | 'label.created' | 'label.updated' | 'label.deleted' | 'linked_file.set' | 'linked_file.cleared' | 'member.added' | 'member.removed' | 'subtask.created' | 'subtask.updated' | 'subtask.deleted' | 'workstream.created' | 'workstream.updated' | 'workstream.archived' | 'workstream.opened';
        /** When it happened. */
        at: string;
        /** Who did it. */
        user_id: string;
        /** The fields that differ since, also by the names that a `PATCH` has for them. */
        changed: Array<string>;
      }> | undefined;
      /** Whether `changes` has every change. False where the log does not reach back, or is not up to date within 100 ms. */
      complete?: boolean | undefined;
    } | {
      identifier: string;
      card_id: string | null;
    } | {
      /** The `seq` of the oldest event that is kept. */
      oldest: number;
    } | undefined;
  } | undefined;
}

/** A step on a board; its cards stand in an order. */
export interface Column {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'column';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** The board that it is on. */
  board_id: string;
  /** What it is called. */
  name: string;
  /** Its place among the columns of the board, ascending from the left. */
  position: number;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** What somebody said of a card. */
export interface Comment {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'comment';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** The card that it is on. */
  card_id: string;
  /** Its text, as it was sent. */
  body: string;
  /** Its author, who alone may change it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** One card waits for another. */
export interface Dependency {
  /** The card that waits. */
  card_id: string;
  /** The card that it waits for. */
  depends_on_card_id: string;
  /** Since when. */
  created_at: string;
}

/** What lists of dependencies show of a card. */
export interface CardSummary {
  /** Its id. */
  id: string;
  /** Its identifier at present. */
  identifier: string;
  /** What is to be done. */
  title: string;
  /** The board that it is on. */
  board_id: string;
  /** When it was completed; null while it is open. */
  completed_at: string | null;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
}

/** The card at the other end of a dependency. */
export interface DependencyEntry {
  card: CardSummary;
  /** Since when the one waits for the other. */
  created_at: string;
}

/** What a subtask shows of the file linked to it. */
export interface LinkedFile {
  /** The file. */
  id: string;
  /** Its name. */
  name: string;
}

/** A part of a card, done by itself. */
export interface Subtask {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'subtask';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** The card that it is part of. */
  card_id: string;
  /** What is to be done. */
  title: string;
  /** When it was completed; null while it is open. */
  completed_at: string | null;
  /** Its place among the subtasks of the card, ascending from the top. */
  position: number;
  /** The file linked to it, where the caller sees one. */
  linked_file: LinkedFile | null;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** A file: its name and state; its bytes are at `/files/{file_id}/content`. */
export interface File {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'file';
  /** What it is called. */
  name: string;
  /** Where it stands; only a `clean` file is ever served, `infected` and `rejected` are final. */
  status: 'pending' | 'scanning' | 'clean' | 'infected' | 'rejected';
  /** Why the file was rejected; null in every other state */
  rejection: 'empty' | 'too_large' | 'broken_image' | 'too_many_pixels' | 'too_complex' | 'expired' | 'unchecked' | null;
  /** What the bytes are, whatever the name says; `application/octet-stream` where they are no known type; null until they were looked at */
  content_type: string | null;
  /** Bytes; null until they have arrived */
  size: number | null;
  /** The board as whose it is as visible; null: the workspace. */
  board_id: string | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** A new file with the way to upload its bytes. */
export interface NewFile {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'file';
  /** What it is called. */
  name: string;
  /** Where it stands; only a `clean` file is ever served, `infected` and `rejected` are final. */
  status: 'pending' | 'scanning' | 'clean' | 'infected' | 'rejected';
  /** Why the file was rejected; null in every other state */
  rejection: 'empty' | 'too_large' | 'broken_image' | 'too_many_pixels' | 'too_complex' | 'expired' | 'unchecked' | null;
  /** What the bytes are, whatever the name says; `application/octet-stream` where they are no known type; null until they were looked at */
  content_type: string | null;
  /** Bytes; null until they have arrived */
  size: number | null;
  /** The board as whose it is as visible; null: the workspace. */
  board_id: string | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** Where its bytes go. */
  upload: {
    method: 'PUT';
    /** Where the bytes go, once. */
    url: string;
    /** Headers to send with them. */
    headers: Record<string, string>;
    /** Until when. */
    expires_at: string;
  };
}

/** The image that a card shows. */
export interface Cover {
  /** The file. */
  file_id: string;
  /** Its name. */
  name: string;
  /** What its bytes are. */
  content_type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** The same image in WebP, 320, 640 and 1280 pixels wide; never enlarged. */
  renditions: Array<{
    /** Pixels. */
    width: number;
    /** Pixels. */
    height: number;
    /** Where it is, for a while. */
    url: string;
  }>;
}

/** A mark for cards, known in the whole workspace. */
export interface Label {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'label';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** What it is called. */
  name: string;
  /** Red, green and blue in hexadecimal. */
  color: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** A database became an earlier one, so what was followed may not be what is. */
export interface FeedReset {
  /** Whose database it was. */
  database: 'identifier' | 'card' | 'dependency' | 'attachment' | 'event';
}

/** The image that a card shows. */
export interface CoverOfEvent {
  /** The file. */
  file_id: string;
  /** Its name. */
  name: string;
  /** What its bytes are. */
  content_type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** What happened to a card. */
export interface CardEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'card.created' | 'card.updated' | 'card.moved' | 'card.transferred' | 'card.archived' | 'card.restored' | 'card.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Card | null;
}

/** What happened to a board. */
export interface BoardEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'board.created' | 'board.updated' | 'board.archived' | 'board.restored' | 'board.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Board | null;
}

/** What happened to a column. */
export interface ColumnEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'column.created' | 'column.updated' | 'column.archived' | 'column.restored';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Column | null;
}

/** What happened to a comment. */
export interface CommentEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'comment.created' | 'comment.updated' | 'comment.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Comment | null;
}

/** What happened to a cover. */
export interface CoverEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'cover.set' | 'cover.cleared';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: CoverOfEvent | null;
}

/** What happened to a dependency. */
export interface DependencyEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'dependency.added' | 'dependency.removed';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Dependency | null;
}

/** What happened to a feed. */
export interface FeedEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'feed.reset';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: FeedReset | null;
}

/** What happened to a file. */
export interface FileEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'file.created' | 'file.updated' | 'file.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: File | null;
}

/** What happened to a label. */
export interface LabelEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'label.created' | 'label.updated' | 'label.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Label | null;
}

/** What happened to a linked file. */
export interface LinkedFileEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'linked_file.set' | 'linked_file.cleared';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: File | null;
}

/** What happened to a member. */
export interface MemberEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'member.added' | 'member.removed';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: BoardMember | null;
}

/** What happened to a subtask. */
export interface SubtaskEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'subtask.created' | 'subtask.updated' | 'subtask.deleted';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Subtask | null;
}

/** What happened to a workstream. */
export interface WorkstreamEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** Its number in the log of the workspace, without gaps; it never changes. */
  seq: number;
  /** What happened. */
  type: 'workstream.created' | 'workstream.updated' | 'workstream.archived' | 'workstream.opened';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** The card that it happened to or on; null for none. */
  card: {
    /** Its id. */
    id: string;
    /** Its identifier at that time. */
    identifier: string;
  } | null;
  /** The board that it happened on; null: the workspace. Those who see the board see the event. */
  board_id: string | null;
  /** The fields that differ since; none where something is new or gone. */
  changed: Array<string>;
  /** What short ones of them were before. */
  previous: Record<string, string | number | boolean | Array<string> | null>;
  /** What it happened to, as it is read since; null where it is gone, or out of your sight. */
  data: Workstream | null;
}

/** Something that happened in the workspace; its type says what `data` is. */
export type Event = CardEvent | BoardEvent | ColumnEvent | CommentEvent | CoverEvent | DependencyEvent | FeedEvent | FileEvent | LabelEvent | LinkedFileEvent | MemberEvent | SubtaskEvent | WorkstreamEvent

/** A type of events, or with `.*` all that begin so. */
export type EventTypeFilter = 'board.created' | 'board.updated' | 'board.archived' | 'board.restored' | 'board.deleted' | 'card.created' | 'card.updated' | 'card.moved' | 'card.transferred' | 'card.archived' | 'card.restored' | 'card.deleted' | 'column.created' | 'column.updated' | 'column.archived' | 'column.restored' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'cover.set' | 'cover.cleared' | 'dependency.added' | 'dependency.removed' | 'feed.reset' | 'file.created' | 'file.updated' | 'file.deleted' | 'label.created' | 'label.updated' | 'label.deleted' | 'linked_file.set' | 'linked_file.cleared' | 'member.added' | 'member.removed' | 'subtask.created' | 'subtask.updated' | 'subtask.deleted' | 'workstream.created' | 'workstream.updated' | 'workstream.archived' | 'workstream.opened' | 'board.*' | 'card.*' | 'column.*' | 'comment.*' | 'cover.*' | 'dependency.*' | 'feed.*' | 'file.*' | 'label.*' | 'linked_file.*' | 'member.*' | 'subtask.*' | 'workstream.*'

/** A field that `changed` of an event may name. */
export type ChangedFilter = 'adopting' | 'archived_at' | 'assignee_user_ids' | 'board_id' | 'body' | 'color' | 'column_id' | 'completed_at' | 'content_type' | 'default_workstream_id' | 'description' | 'due_date' | 'file_id' | 'identifier' | 'label_ids' | 'name' | 'position' | 'priority' | 'rejection' | 'size' | 'status' | 'title' | 'visibility' | 'workstream'

/** What a look-up returns beside the card. */
export interface CardReference {
  /** What its board is called. */
  board_name: string;
  /** When its board was archived; null while it is active. */
  board_archived_at: string | null;
  /** When its board was deleted; null while it is there. */
  board_deleted_at: string | null;
  /** Always null: a deleted card is not found. */
  deleted_at: string | null;
  /** How many cards it waits for, those too that you do not see. */
  dependency_count: number;
  /** How many cards wait for it, those too that you do not see. */
  dependent_count: number;
}

/** A card that was found by an identifier. */
export interface CardLookup {
  card: Card;
  reference: CardReference;
  /** The identifier that was asked for, as it was spelled. */
  resolved_identifier: string;
  /** Whether the card has another identifier now. */
  is_alias: boolean;
  /** The identifier that the card has now. */
  current_identifier: string;
}

/** An identifier that a card has or had. */
export interface IdentifierHistoryEntry {
  /** The identifier. */
  identifier: string;
  workstream: WorkstreamSummary;
  /** Whether the card has it now. */
  is_current: boolean;
  /** When the card got it; null of one that it had before it was adopted. */
  assigned_at: string | null;
  /** When the card got the next one; null for the present one, and where the next one was adopted. */
  superseded_at: string | null;
  /** The user who created, transferred or adopted the card. */
  assigned_by: string;
  /** Whether the card brought it along. */
  adopted: boolean;
}

/** Whom a token stands for, and what it may do. */
export interface Me {
  /** The user whom the token stands for. */
  user_id: string;
  /** The workspace that it is for. */
  workspace_id: string;
  /** What it may do; each scope includes those before it. */
  scopes: Array<'kanban:read' | 'kanban:write' | 'kanban:admin'>;
  /** When it ends; null for an API key without an end. */
  token_expires_at: string | null;
  /** The API key of the request; null for a token. */
  api_key: {
    /** Its id. */
    id: string;
    /** Its name. */
    name: string;
    /** When it ends; null for never. */
    expires_at: string | null;
  } | null;
}

/** Whom an id of a user stands for. */
export interface Person {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'person';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** The same: the id that stands for them wherever a user does. */
  user_id: string;
  /** What they are called; null where nobody said it, `somebody` where it was erased. */
  name: string | null;
  /** Their e-mail address, in small letters. */
  email: string | null;
  /** A machine has API keys alone. */
  kind: 'person' | 'machine';
  /** When they came first; null for not yet. */
  first_seen: string | null;
  /** When they came last, to ten minutes; it is no part of the version. */
  last_seen: string | null;
  /** When name and e-mail were erased; null for never. */
  erased_at: string | null;
}

/** What a reference shows of its card. */
export interface ReferencedCard {
  /** Its id. */
  id: string;
  /** Its identifier at present. */
  identifier: string;
  /** What is to be done. */
  title: string;
  /** The board that it is on. */
  board_id: string;
  /** When it was completed; null while it is open. */
  completed_at: string | null;
  /** When it was archived; null while it is active. */
  archived_at: string | null;
  /** The column that it stands in. */
  column_id: string;
  /** Its version, for `If-Match`. */
  version: number;
}

/** An identifier that was asked for, and the card that it leads to. */
export interface IdentifierReference {
  /** The identifier as it was spelled. */
  requested: string;
  /** Where it begins in the text, in code points; null of a list. */
  start: number | null;
  /** Where it ends, likewise: the first code point after it. */
  end: number | null;
  /** The card that has or had it; null where there is none that the caller sees. */
  card: ReferencedCard | null;
  /** Whether the card has another identifier now. */
  is_alias: boolean;
  /** The identifier that the card has now; null without a card. */
  current_identifier: string | null;
  /** Whether it was ever given out. Without a card, true means that the card is deleted or hidden, and false that the identifier never existed. */
  issued: boolean;
}

/** An identifier of a workstream, and its card. */
export interface RegisterEntry {
  /** The identifier. */
  identifier: string;
  /** Its number. */
  number: number;
  /** Whether its card got no other one since. */
  is_current: boolean;
  /** What its card is called now; null without a card. */
  current_identifier: string | null;
  /** Its card; null where that is deleted, or the caller does not see it. */
  card: CardSummary | null;
  /** When its card got it; null of one that it had before it was adopted. */
  assigned_at: string | null;
  /** When its card got the next one; null for the current one, and where the next one was adopted. */
  superseded_at: string | null;
  /** Whether the card brought it along. */
  adopted: boolean;
}

/** An address to which events are sent. It sees what its creator sees, and is its creator's: other admins see that it is there, and may pause it, delete it and take it over. */
export interface Webhook {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'webhook';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** Where events are sent. Other admins than its creator see the host alone, as `https://example.com/`. */
  url: string;
  /** The types that are sent; `card.*` is all that begin so; none: every type. */
  types: Array<string>;
  /** The only board whose events are sent; null for all, and for other admins. */
  board_id: string | null;
  /** The fields of which a change is sent; none: every event of its types. */
  changed: Array<string>;
  /** Whether events of private boards are sent. Those of the board in `board_id` are sent in either case. */
  private_boards: boolean;
  /** What it is for; null for other admins. */
  description: string | null;
  /** `failing` while something waits that failed three times, or while its secret cannot be opened; `disabled` by a 410, or after three days of failures. Nothing is lost meanwhile. */
  state: 'active' | 'paused' | 'failing' | 'disabled';
  /** Why it is disabled; null while it is not. */
  disabled_reason: 'gone' | 'failures' | null;
  /** Why it is failing: `attempts` that failed, or a `secret` that no key of the service opens, until that key is there again or the secret is rotated. Null while it is not. */
  failing_reason: 'attempts' | 'secret' | null;
  /** Since when it is failing, or was when it was disabled. */
  failing_since: string | null;
  /** Until when the secret before the latest rotation signs too; null for other admins. */
  former_secret_until: string | null;
  /** What is being sent again, before anything newer; null for nothing, and for other admins. */
  replay: {
    /** Events with a greater `seq` are sent again, */
    after: number;
    /** up to this one. */
    until: number;
  } | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

/** A webhook, with the secret that it has from now on. */
export interface WebhookWithSecret {
  /** Its id. */
  id: string;
  /** What kind of resource it is. */
  type: 'webhook';
  /** Number of its state, which rises with every change; its `ETag`. */
  version: number;
  /** Where events are sent. Other admins than its creator see the host alone, as `https://example.com/`. */
  url: string;
  /** The types that are sent; `card.*` is all that begin so; none: every type. */
  types: Array<string>;
  /** The only board whose events are sent; null for all, and for other admins. */
  board_id: string | null;
  /** The fields of which a change is sent; none: every event of its types. */
  changed: Array<string>;
  /** Whether events of private boards are sent. Those of the board in `board_id` are sent in either case. */
  private_boards: boolean;
  /** What it is for; null for other admins. */
  description: string | null;
  /** `failing` while something waits that failed three times, or while its secret cannot be opened; `disabled` by a 410, or after three days of failures. Nothing is lost meanwhile. */
  state: 'active' | 'paused' | 'failing' | 'disabled';
  /** Why it is disabled; null while it is not. */
  disabled_reason: 'gone' | 'failures' | null;
  /** Why it is failing: `attempts` that failed, or a `secret` that no key of the service opens, until that key is there again or the secret is rotated. Null while it is not. */
  failing_reason: 'attempts' | 'secret' | null;
  /** Since when it is failing, or was when it was disabled. */
  failing_since: string | null;
  /** Until when the secret before the latest rotation signs too; null for other admins. */
  former_secret_until: string | null;
  /** What is being sent again, before anything newer; null for nothing, and for other admins. */
  replay: {
    /** Events with a greater `seq` are sent again, */
    after: number;
    /** up to this one. */
    until: number;
  } | null;
  /** The user who created it. */
  created_by: string;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** Verifies what is sent (Standard Webhooks). It is shown this once. */
  secret: string;
}

/** One attempt to send an event to a webhook. */
export interface Delivery {
  /** Its id. */
  id: string;
  /** What was sent; null where the log says something of the webhook itself. */
  event: {
    /** Its id, which is sent as `webhook-id`. */
    id: string;
    /** Its type; `ping` for one that was asked for. */
    type: string;
    /** Its number in the log; null for a ping. */
    seq: number | null;
  } | null;
  /** How many times it was tried, this one included. */
  attempt: number | null;
  /** The HTTP status of the answer; null where none came within 15 seconds. A status from 200 to 299 counts as taken, however long its body takes. */
  status: number | null;
  /** How long it took. */
  milliseconds: number | null;
  /** The first KiB of the answer. */
  answer: string | null;
  /** Why it was not taken; null where it was. */
  error: string | null;
  /** When it is tried again; null for never. */
  next_try_at: string | null;
  /** When it ended. */
  at: string;
}

/** A ping that is under way. */
export interface Pinged {
  /** The `webhook-id` of the ping; its delivery is in the list. */
  event_id: string;
}

/** Sent because somebody wants to see whether it arrives. */
export interface PingEvent {
  /** Its id, the same wherever it is seen. */
  id: string;
  /** It is in no log. */
  seq: null;
  /** What happened: somebody asked for it. */
  type: 'ping';
  /** When it happened. */
  at: string;
  /** Who did it. */
  actor: {
    /** The user. */
    user_id: string;
    /** The API key that the user came with; null with a token. Left out in events of release 1.1.0. */
    api_key_id?: string | null | undefined;
  };
  /** The `X-Request-Id` of the request that did it. */
  request_id: string;
  /** What it happened to. */
  subject: {
    /** What kind of resource. */
    type: string;
    /** Its id. */
    id: string;
    /** Its version since; null for what has none. */
    version: number | null;
  };
  /** It is about no card. */
  card: null;
  /** Nor a board. */
  board_id: null;
  /** Nothing changed. */
  changed: Array<string>;
  /** So nothing was otherwise. */
  previous: {
  };
  /** The webhook. */
  data: Webhook;
}

/** Every operation of the API, by resource. */
export interface Operations {
  boards: {
    /** Create a board. Whoever creates it manages it. Needs `kanban:write`. */
    create(body: CreateBoardInput, options?: PostOptions): Promise<Board>;
    /** List the boards of the workspace. Those that the caller sees, oldest first. `mine=admin` (`kanban:admin`) lists instead the private boards that have no members and that the caller does not see: their creator may have left. An admin takes one over by becoming a member. Needs `kanban:read`. */
    list(query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
      /** Only with this name, in any letter case */
      name?: string | undefined;
      /** `admin`: private boards without members, for admins to take over */
      mine?: 'admin' | undefined;
    }, options?: ListOptions): Listing<Board>;
    /** Read a board, unless it is still as last read: then null */
    get(boardId: string, options: ConditionalOptions): Promise<Board | null>;
    /** Read a board. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(boardId: string, options?: CallOptions): Promise<Board>;
    /** Edit a board. Its visibility is changed by its creator, its owners and `kanban:admin` only; for others: 403. Needs `kanban:write`. */
    update(board: Versioned, body: PatchBoardInput, options?: PatchOptions): Promise<Board>;
    /** Delete a board. The board leaves every listing. Its cards still answer by id and by identifier, and take no writes. Needs `kanban:admin`. */
    delete(board: Versioned, options?: CallOptions): Promise<void>;
    /** Archive a board. An archived board takes no new columns or cards; its cards stay editable, and move. Needs `kanban:write`. */
    archive(board: Versioned, options?: PostOptions): Promise<Board>;
    /** Restore an archived board. It takes columns and cards again. Restoring an active one changes nothing. Needs `kanban:write`. */
    restore(board: Versioned, options?: PostOptions): Promise<Board>;
    /** Make a user a member of a board, in a role. A private board is seen by its creator and its members only. Without a role, who is a member keeps the one that he has, and others become `member`. By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403. Needs `kanban:write`. */
    addMember(boardId: string, userId: string, body?: PutBoardMemberInput, options?: CallOptions): Promise<BoardMember>;
    /** End a user’s membership of a board. By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403. Needs `kanban:write`. */
    removeMember(boardId: string, userId: string, options?: CallOptions): Promise<void>;
    /** List the members of a board. For everyone who sees the board, and `kanban:admin`. Its creator needs no membership. Needs `kanban:read`. */
    listMembers(boardId: string, options?: ListOptions): Listing<BoardMember>;
  };
  columns: {
    /** Create a column, the last of its board. A board has 200 columns at most: 409 above. Needs `kanban:write`. */
    create(boardId: string, body: CreateColumnInput, options?: PostOptions): Promise<Column>;
    /** List the columns of a board. In their order on the board. Needs `kanban:read`. */
    list(boardId: string, query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
      /** Only with this name, in any letter case */
      name?: string | undefined;
    }, options?: ListOptions): Listing<Column>;
    /** Read a column, unless it is still as last read: then null */
    get(columnId: string, options: ConditionalOptions): Promise<Column | null>;
    /** Read a column. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(columnId: string, options?: CallOptions): Promise<Column>;
    /** Rename or move a column. A column moves among the columns of its board. Needs `kanban:write`. */
    update(column: Versioned, body: PatchColumnInput, options?: PatchOptions): Promise<Column>;
    /** Archive a column. It takes no new cards; those on it stay editable. Archiving it again changes nothing. Needs `kanban:write`. */
    archive(column: Versioned, options?: PostOptions): Promise<Column>;
    /** Restore an archived column. It takes cards again. Restoring an active one changes nothing. Needs `kanban:write`. */
    restore(column: Versioned, options?: PostOptions): Promise<Column>;
  };
  cards: {
    /** Create a card at the start of a column. Without `workstream_id` the card is filed under the default workstream of its board, else under that of the workspace. The server gives it the next identifier of its workstream. Needs `kanban:write`. */
    create(columnId: string, body: CreateCardInput, options?: PostOptions): Promise<Card>;
    /** Read a card, unless it is still as last read: then null */
    get(cardId: string, options: ConditionalOptions): Promise<Card | null>;
    /** Read a card. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(cardId: string, options?: CallOptions): Promise<Card>;
    /** Edit a card. With `workstream_id` the card is transferred as well, both or neither, and its version rises by two. null clears `description`, `due_date` and `priority`. Needs `kanban:write`. */
    update(card: Versioned, body: PatchCardInput, options?: PatchOptions): Promise<Card>;
    /** Delete a card for good. Its identifiers answer 404 from then on and are never issued again. Needs `kanban:admin`. */
    delete(card: Versioned, options?: CallOptions): Promise<void>;
    /** List the cards of a board. Ordered by column, then position, then id. All filters must hold; of one that is given several times, any of its values. Needs `kanban:read`. */
    list(boardId: string, query?: {
      /** Cards in this column */
      column_id?: string | Array<string> | undefined;
      /** Cards assigned to this user; `me` is the caller, `none` finds those assigned to nobody */
      assignee_user_id?: string | 'me' | 'none' | Array<string | 'me' | 'none'> | undefined;
      /** Cards that carry this label; `none` finds those without labels */
      label_id?: string | 'none' | Array<string | 'none'> | undefined;
      /** Cards of this workstream */
      workstream_id?: string | Array<string> | undefined;
      /** Cards of this priority; `none` finds those without one */
      priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | 'none' | Array<'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | 'none'> | undefined;
      /** true: only archived cards; false: only active ones; `any`: both */
      archived?: boolean | 'any' | undefined;
      /** Left out: both completed and incomplete cards */
      completed?: boolean | undefined;
      /** Whether the card has a dependency that is not completed */
      blocked?: boolean | undefined;
      /** Cards that are due before this moment, not at it */
      due_before?: string | undefined;
      /** Cards that are due after this moment, not at it */
      due_after?: string | undefined;
      /** Cards that were changed after this moment, not at it */
      updated_after?: string | undefined;
      /** A part of the title as it stands, blanks too; letters by full case folding (`ss` finds `ß`), no wildcards */
      q?: string | undefined;
    }, options?: ListOptions): Listing<Card>;
    /** List the cards of all boards. Of those that the caller sees and that are not deleted. All filters must hold; of one that is given several times, any of its values. Needs `kanban:read`. */
    search(query?: {
      /** This card: its id, or an identifier that it has or ever had. One that you do not see, or that never existed, is left out */
      card?: string | Array<string> | undefined;
      /** Cards on this board */
      board_id?: string | Array<string> | undefined;
      /** Cards in this column */
      column_id?: string | Array<string> | undefined;
      /** Cards assigned to this user; `me` is the caller, `none` finds those assigned to nobody */
      assignee_user_id?: string | 'me' | 'none' | Array<string | 'me' | 'none'> | undefined;
      /** Cards that carry this label; `none` finds those without labels */
      label_id?: string | 'none' | Array<string | 'none'> | undefined;
      /** Cards of this workstream */
      workstream_id?: string | Array<string> | undefined;
      /** Cards of this priority; `none` finds those without one */
      priority?: 'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | 'none' | Array<'super_urgent' | 'urgent' | 'important' | 'nice_to_have' | 'none'> | undefined;
      /** true: only archived cards; false: only active ones; `any`: both */
      archived?: boolean | 'any' | undefined;
      /** Left out: both completed and incomplete cards */
      completed?: boolean | undefined;
      /** Whether the card has a dependency that is not completed */
      blocked?: boolean | undefined;
      /** Cards that are due before this moment, not at it */
      due_before?: string | undefined;
      /** Cards that are due after this moment, not at it */
      due_after?: string | undefined;
      /** Cards that were changed after this moment, not at it */
      updated_after?: string | undefined;
      /** A part of the title as it stands, blanks too; letters by full case folding (`ss` finds `ß`), no wildcards */
      q?: string | undefined;
      /** The newest first, the oldest first, by `due_date`, where cards without one come last, or by `updated_at`: what was changed last comes last, or with `-updated` first */
      sort?: '-created' | 'created' | 'due' | 'updated' | '-updated' | undefined;
    }, options?: ListOptions): Listing<Card>;
    /** Move a card. To the start of the column where no place is named. The column may be one of another board that takes cards; its identifier, and all that hangs on it, stay. Needs `kanban:write`. */
    move(card: Versioned, body: MoveCardInput, options?: PostOptions): Promise<Card>;
    /** Transfer a card to another workstream. The card gets the next identifier there; its former one stays its alias for ever. Needs `kanban:write`. */
    transfer(card: Versioned, body: TransferCardInput, options?: PostOptions): Promise<Card>;
    /** Archive a card. It leaves the lists of active cards and stays editable, but is not moved. Archiving it again changes nothing. Needs `kanban:write`. */
    archive(card: Versioned, options?: PostOptions): Promise<Card>;
    /** Restore an archived card. To its own column, or to the first active one where that is archived. Needs `kanban:write`. */
    restore(card: Versioned, options?: PostOptions): Promise<Card>;
    /** Assign a card to a user. Again changes nothing. A card has 100 assignees at most: 409 above. Needs `kanban:write`. */
    addAssignee(cardId: string, userId: string, options?: CallOptions): Promise<Card>;
    /** Take a card off a user. One whom it is not assigned to: 204 too. Needs `kanban:write`. */
    removeAssignee(cardId: string, userId: string, options?: CallOptions): Promise<void>;
    /** Change up to 100 cards in one way. Every card for itself, as if it were asked for alone: 200, with what became of each in the order of the request. The same key again answers the same for what was done, and tries again what was refused. Needs `kanban:write`. */
    bulk(body: BulkCardsInput, options?: PostOptions): Promise<Array<BulkItem>>;
    /** Put a label on a card. Again changes nothing. A card carries 100 labels at most: 409 above. Needs `kanban:write`. */
    addLabel(cardId: string, labelId: string, options?: CallOptions): Promise<Card>;
    /** Take a label off a card. One that it does not carry: 204 too. Needs `kanban:write`. */
    removeLabel(cardId: string, labelId: string, options?: CallOptions): Promise<void>;
    /** Declare that a card depends on another one. Any card of the workspace, on any board. One that would close a cycle: 409; so is one above 1,000 of a card. Needs `kanban:write`. */
    addDependency(cardId: string, dependsOnCardId: string, options?: CallOptions): Promise<Dependency>;
    /** Remove a dependency. One on a card that the caller cannot see stays; the answer is 204 all the same. Needs `kanban:write`. */
    removeDependency(cardId: string, dependsOnCardId: string, options?: CallOptions): Promise<void>;
    /** List what a card depends on, oldest first. Cards that the caller cannot see are left out. Needs `kanban:read`. */
    listDependencies(cardId: string, options?: ListOptions): Listing<DependencyEntry>;
    /** List the cards that depend on a card, oldest first. Cards that the caller cannot see are left out. Needs `kanban:read`. */
    listDependents(cardId: string, options?: ListOptions): Listing<DependencyEntry>;
    /** Read a card’s cover. 204 where the card has no cover that the caller may see. Needs `kanban:read`. */
    getCover(cardId: string, options?: CallOptions): Promise<Cover | null>;
    /** Take a card’s cover away. The file stays. Without a cover: 204 too. Needs `kanban:write`. */
    removeCover(cardId: string, options?: CallOptions): Promise<void>;
    /** Make a file the cover of a card. A file that is not checked yet: 409; one that failed a check or is no raster image: 422. Needs `kanban:write`. */
    setCover(cardId: string, fileId: string, options?: CallOptions): Promise<Cover>;
    /** Find a card by an identifier that it has or ever had. In any letter case. `is_alias` and `current_identifier` show how to update a stale reference. Needs `kanban:read`. */
    getByIdentifier(identifier: string, options?: CallOptions): Promise<CardLookup>;
    /** List every identifier that a card ever had, oldest first. Each of them leads to the card for ever. Needs `kanban:read`. */
    listIdentifiers(cardId: string, options?: ListOptions): Listing<IdentifierHistoryEntry>;
    /** List what happened to a card and to what is on it. Its activity, as far back as events are kept, under whatever identifier it had: oldest first, or with `order=desc` newest first. Needs `kanban:read`. */
    listEvents(cardId: string, query?: {
      /** `desc` is newest first; default: `asc` */
      order?: 'asc' | 'desc' | undefined;
      /** Only of these types; `card.*` is all that begin so; may be given several times. */
      types?: EventTypeFilter | Array<EventTypeFilter> | undefined;
      /** Only what this user did, `me` for the caller, or what was done with this API key. */
      actor?: 'me' | string | undefined;
    }, options?: ListOptions): Listing<Event>;
    /** Adopt cards with the identifiers that they have. Only while the workstream is `adopting`. Each card for itself: one that is refused holds up no other. `conflict` with `details.card_id` where one of its identifiers is that of a card, a deleted one too; `card_id` is null where you do not see the card. In their columns they come to stand above all others, in the order of the list from the top. Needs `kanban:admin`. */
    adopt(workstreamId: string, body: AdoptCardsInput, options?: PostOptions): Promise<Array<Adoption>>;
  };
  labels: {
    /** Create a label, known in the whole workspace. Names need not differ; the color is gray where none is given. Needs `kanban:write`. */
    create(body: CreateLabelInput, options?: PostOptions): Promise<Label>;
    /** List the labels of the workspace. Oldest first. Needs `kanban:read`. */
    list(query?: {
      /** Only with this name, in any letter case */
      name?: string | undefined;
    }, options?: ListOptions): Listing<Label>;
    /** Read a label, unless it is still as last read: then null */
    get(labelId: string, options: ConditionalOptions): Promise<Label | null>;
    /** Read a label. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(labelId: string, options?: CallOptions): Promise<Label>;
    /** Edit a label. The cards that carry it stay as they are. Needs `kanban:write`. */
    update(label: Versioned, body: PatchLabelInput, options?: PatchOptions): Promise<Label>;
    /** Delete a label. Cards that carried it lose it, and their versions rise. Needs `kanban:write`. */
    delete(label: Versioned, options?: CallOptions): Promise<void>;
  };
  comments: {
    /** Comment on a card. The card counts its comments, so its version rises. Needs `kanban:write`. */
    create(cardId: string, body: CreateCommentInput, options?: PostOptions): Promise<Comment>;
    /** List the comments of a card, oldest first. Everyone who sees the card sees them. Needs `kanban:read`. */
    list(cardId: string, options?: ListOptions): Listing<Comment>;
    /** Read a comment, unless it is still as last read: then null */
    get(commentId: string, options: ConditionalOptions): Promise<Comment | null>;
    /** Read a comment. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(commentId: string, options?: CallOptions): Promise<Comment>;
    /** Edit a comment of one’s own. Somebody else’s comment: 403. Needs `kanban:write`. */
    update(comment: Versioned, body: PatchCommentInput, options?: PatchOptions): Promise<Comment>;
    /** Delete a comment of one’s own. Somebody else’s comment: 403. Needs `kanban:write`. */
    delete(comment: Versioned, options?: CallOptions): Promise<void>;
  };
  subtasks: {
    /** Create a subtask, the last of its card. The card counts its subtasks, so its version rises. Needs `kanban:write`. */
    create(cardId: string, body: CreateSubtaskInput, options?: PostOptions): Promise<Subtask>;
    /** List the subtasks of a card in their order. From the top. Needs `kanban:read`. */
    list(cardId: string, options?: ListOptions): Listing<Subtask>;
    /** Read a subtask, unless it is still as last read: then null */
    get(subtaskId: string, options: ConditionalOptions): Promise<Subtask | null>;
    /** Read a subtask. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(subtaskId: string, options?: CallOptions): Promise<Subtask>;
    /** Rename, complete, reopen or place a subtask. It is placed in at most one way. The neighbor is of the same card, else 422. Needs `kanban:write`. */
    update(subtask: Versioned, body: PatchSubtaskInput, options?: PatchOptions): Promise<Subtask>;
    /** Delete a subtask. Its link to a file goes with it; the file stays. Needs `kanban:write`. */
    delete(subtask: Versioned, options?: CallOptions): Promise<void>;
    /** Link a file to a subtask. In place of any other. A file that is not checked yet: 409; one that failed a check: 422. Needs `kanban:write`. */
    setLinkedFile(subtaskId: string, fileId: string, options?: CallOptions): Promise<File>;
    /** Take a subtask’s link away. The file stays. Without a link: 204 too. Needs `kanban:write`. */
    removeLinkedFile(subtaskId: string, options?: CallOptions): Promise<void>;
  };
  files: {
    /** Create a file. Then send its bytes to `upload.url`, once, before `upload.expires_at`. They are checked; only a `clean` file is served. Refused where the workspace has as many files, or bytes of them, as it may. Needs `kanban:write`. */
    create(body: CreateFileInput, options?: PostOptions): Promise<NewFile>;
    /** List files, oldest first. Files of boards that the caller cannot see are left out. Needs `kanban:read`. */
    list(options?: ListOptions): Listing<File>;
    /** Read a file’s state. Ask again while it is `pending` or `scanning`. Needs `kanban:read`. */
    get(fileId: string, options?: CallOptions): Promise<File>;
    /** Delete a file. The covers and links that it is vanish with it. Needs `kanban:write`. */
    delete(fileId: string, options?: CallOptions): Promise<void>;
    /** Download a file. Redirects to the bytes of a clean file. One that is not checked yet: 409; one that failed a check: 422. Needs `kanban:read`. */
    getContent(fileId: string, options?: CallOptions): Promise<Download>;
  };
  identifiers: {
    /** Find the cards of many identifiers, or of those in a text. A query: it needs neither key nor version. Answers one entry for each of the identifiers, in their order, or for each occurrence in the text. In a text counts what stands free, in capitals, and begins with the prefix of a workstream: `UTF-8` is no card. Free means: before it no letter, digit, `-` or `_`; after it no letter, no digit, and no `-` that a digit follows. Letters of scripts that are written without blanks do not count: `修复WEB-1的问题` names WEB-1. Without a card, `issued` is false of an identifier that never existed, and true of one whose card is deleted or hidden. More than 100 different ones, 1,000 occurrences or an answer of 256 KiB: 422. Needs `kanban:read`. */
    resolve(body: ResolveIdentifiersInput, options?: CallOptions): Promise<Array<IdentifierReference>>;
  };
  events: {
    /** List what happened in the workspace. Of what the caller may see now, oldest first, or with `order=desc` newest first. Page oldest first with `after=<last seq>` until it is empty: nothing is missed. What leaves your sight (a card moves to a board that you do not see, a board becomes private, you are taken from its members) comes with the board where it was and `data` null. What comes into your sight has no events of its own: to keep a copy, read a board anew after `board.updated` with `visibility` in `changed`, and after `member.added` of yourself. `after` something older than what is kept: 410 with the oldest in `details`. Needs `kanban:read`. */
    list(query?: {
      /** Only what has a greater `seq`, in either order; `head` begins now; default: from the oldest that is kept */
      after?: 'head' | number | undefined;
      /** `asc` is oldest first, `desc` newest first; default: `asc` */
      order?: 'asc' | 'desc' | undefined;
      /** Only of these types; `card.*` is all that begin so; may be given several times. */
      types?: EventTypeFilter | Array<EventTypeFilter> | undefined;
      /** Only of these boards; may be given several times. */
      board_id?: string | Array<string> | undefined;
      /** Only of this card: its id, or an identifier that it has or ever had. */
      card?: string | undefined;
      /** Only what this user did, `me` for the caller, or what was done with this API key. */
      actor?: 'me' | string | undefined;
    }, options?: ListOptions): Listing<Event>;
    /** Follow what happens in the workspace. The same as server-sent events: `id` is the `seq`, so `Last-Event-ID` goes on where a stream broke off; `event` is the type, `data` the event. Begins with what comes from now on unless `after` or `Last-Event-ID` says otherwise. A comment every 15 seconds; the end of the token ends it. Too many streams at once: 429. Needs `kanban:read`. */
    follow(options?: FollowOptions & {
      /** Begins with what has a greater `seq`; `head`, and the default, with what comes from now on */
      after?: 'head' | number | undefined;
      /** Only of these types; `card.*` is all that begin so; may be given several times. */
      types?: EventTypeFilter | Array<EventTypeFilter> | undefined;
      /** Only of these boards; may be given several times. */
      board_id?: string | Array<string> | undefined;
      /** Only of this card: its id, or an identifier that it has or ever had. */
      card?: string | undefined;
      /** Only what this user did, `me` for the caller, or what was done with this API key. */
      actor?: 'me' | string | undefined;
    }): AsyncGenerator<Event, void, undefined>;
  };
  webhooks: {
    /** Create a webhook. From now on events are sent to it, as far as its creator sees them; those of private boards only where `board_id` or `private_boards` says so. It is the creator's: what others may do is in the description of a webhook. The answer has its `secret`, once. A workspace has 20 at most: 409 above. Needs `kanban:admin`. */
    create(body: CreateWebhookInput, options?: PostOptions): Promise<WebhookWithSecret>;
    /** List the webhooks of the workspace. Oldest first, those of all its admins; of those of others the host of the `url` alone. Needs `kanban:admin`. */
    list(options?: ListOptions): Listing<Webhook>;
    /** Read a webhook, unless it is still as last read: then null */
    get(webhookId: string, options: ConditionalOptions): Promise<Webhook | null>;
    /** Read a webhook. Of that of another admin the host of the `url` alone. Needs `kanban:admin`. */
    get(webhookId: string, options?: CallOptions): Promise<Webhook>;
    /** Edit, pause or enable a webhook. Its creator alone: others would have sent to them what its creator sees. Other admins may pause it: a body of `state` alone. Enabled, it goes on where it stood. Needs `kanban:admin`. */
    update(webhook: Versioned, body: PatchWebhookInput, options?: PatchOptions): Promise<Webhook>;
    /** Delete a webhook. Every admin may. What waits is not sent any more. Needs `kanban:admin`. */
    delete(webhook: Versioned, options?: CallOptions): Promise<void>;
    /** Give a webhook a new secret. Its creator alone. The answer has it, once. For 24 hours the former one signs too, and one before that no more. Needs `kanban:admin`. */
    rotate(webhook: Versioned, options?: PostOptions): Promise<WebhookWithSecret>;
    /** Become the creator of a webhook. For one whose creator has left. From now on it sees what the caller sees, without private boards until the caller says so, and signs with a new secret alone, which the answer has, once. It goes on where it stood; what was sent before is in the list of its deliveries no more. Needs `kanban:admin`. */
    takeover(webhook: Versioned, options?: PostOptions): Promise<WebhookWithSecret>;
    /** Send a ping to a webhook. Its creator alone. Once, whatever its state is; how it went is in the list of its deliveries. Needs `kanban:admin`. */
    ping(webhookId: string, options?: PostOptions): Promise<Pinged>;
    /** Send events again. Its creator alone. Those with a `seq` above `after` up to `until`, as far as they are kept and were passed already, with the header `webhook-replay: true`; what is newer follows them. One replay at a time: 409. Needs `kanban:admin`. */
    replay(webhook: Versioned, body: ReplayWebhookInput, options?: PostOptions): Promise<Webhook>;
    /** List what was sent to a webhook. Its creator alone. Each attempt of the last 30 days, latest first. Needs `kanban:admin`. */
    listDeliveries(webhookId: string, options?: ListOptions): Listing<Delivery>;
  };
  workstreams: {
    /** Create a workstream. Its prefix can never change, and no other workstream of the workspace can ever have it. With `adopting` it takes cards that bring their identifiers along; that needs `kanban:admin`. `MAIN`, which every workspace has, begins to adopt by the same request where the workspace never had a card: with this name and description, and until it is opened, cards that would be filed under it are refused with 409. Needs `kanban:write`. */
    create(body: CreateWorkstreamInput, options?: PostOptions): Promise<Workstream>;
    /** List the workstreams of the workspace. Oldest first, `MAIN` among them. Needs `kanban:read`. */
    list(query?: {
      /** true: only what is archived; false: only what is active */
      archived?: boolean | undefined;
      /** Only with this prefix, in any letter case */
      prefix?: string | undefined;
    }, options?: ListOptions): Listing<Workstream>;
    /** Read a workstream, unless it is still as last read: then null */
    get(workstreamId: string, options: ConditionalOptions): Promise<Workstream | null>;
    /** Read a workstream. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(workstreamId: string, options?: CallOptions): Promise<Workstream>;
    /** Edit the name or description of a workstream. Its cards show a new name at once. Needs `kanban:write`. */
    update(workstream: Versioned, body: PatchWorkstreamInput, options?: PatchOptions): Promise<Workstream>;
    /** Archive a workstream. No card can be created in it or transferred to it any more; its cards keep their identifiers. Needs `kanban:write`. */
    archive(workstream: Versioned, options?: PostOptions): Promise<Workstream>;
    /** Let a workstream that adopted issue its own numbers, for ever. The next one follows the highest that was adopted, or is `next_number`, which must not be lower. Numbers that nobody adopted are never issued. Needs `kanban:admin`. */
    open(workstream: Versioned, body?: OpenWorkstreamInput, options?: PostOptions): Promise<Workstream>;
    /** List every identifier that a workstream ever issued or adopted. In the order of numbers; those of cards that are deleted or that the caller does not see have no card. Needs `kanban:read`. */
    listIdentifiers(workstreamId: string, query?: {
      /** true: only those that their cards got no other one after; false: only those that they did */
      current?: boolean | undefined;
    }, options?: ListOptions): Listing<RegisterEntry>;
  };
  keys: {
    /** Create an API key. For scripts, CI jobs and assistants: a credential that stays. Its text is in the answer, once. `user_id` of another user, such as a machine, needs `kanban:admin`. A user has 100 active ones at most, a workspace 10,000: 409 above. Where the operator has an issuer, a key makes no other: 403. Needs `kanban:read`. */
    create(body: CreateApiKeyInput, options?: PostOptions): Promise<ApiKeyWithText>;
    /** List API keys. Oldest first, your own; with `kanban:admin` all, or those of `user_id`. What ended is kept for 90 days. Needs `kanban:read`. */
    list(query?: {
      /** Only of this user */
      user_id?: string | undefined;
    }, options?: ListOptions): Listing<ApiKey>;
    /** Read an API key. Without its text, which nobody keeps. The key of another user is 404 without `kanban:admin`. Needs `kanban:read`. */
    get(apiKeyId: string, options?: CallOptions): Promise<ApiKey>;
    /** Revoke an API key. It ends everywhere within a second. It needs no version: a leak does not wait for one. Needs `kanban:read`. */
    revoke(apiKeyId: string, options?: CallOptions): Promise<void>;
    /** Give an API key a new text. The answer has it, once. The former one is valid for `grace_seconds` more; one before that no more. Needs `kanban:read`. */
    rotate(apiKeyId: string, body: RotateApiKeyInput, options?: PostOptions): Promise<ApiKeyWithText>;
    /** Revoke all API keys of a user. For somebody who left. Repeat it if `revoked` is not what you expect: keys that are created meanwhile stay. Needs `kanban:admin`. */
    revokeOfUser(body: RevokeApiKeysOfUserInput, options?: PostOptions): Promise<RevokedApiKeys>;
  };
  people: {
    /** Add a person. For those who have not come yet, and where there is no issuer of tokens. `user_id` is made where it is left out. Somebody who is known already, or an e-mail address that another has: 409. A replay shows the person as they are now, since no name is kept in it. Needs `kanban:admin`. */
    add(body: AddPersonInput, options?: PostOptions): Promise<Person>;
    /** List the people of the workspace. By their ids; with `q` by what was found, and erased ones are not. Everyone in the workspace may ask. Needs `kanban:read`. */
    list(query?: {
      /** Only those of whose name or e-mail address some words begin with each word of this, in any letter case */
      q?: string | undefined;
      /** Only who has this address, in any letter case */
      email?: string | undefined;
      /** Only these; at most 100 */
      user_id?: string | Array<string> | undefined;
    }, options?: ListOptions): Listing<Person>;
    /** Read a person, unless it is still as last read: then null */
    get(personId: string, options: ConditionalOptions): Promise<Person | null>;
    /** Read a person. With its `ETag`; `If-None-Match` answers 304 while it is the current one. Needs `kanban:read`. */
    get(personId: string, options?: CallOptions): Promise<Person>;
    /** Edit a person. Yourself, or with `kanban:admin` anybody; for others: 403. An e-mail address that another has: 409. Claims of a token change it again when they change. Needs `kanban:write`. */
    update(person: Versioned, body: PatchPersonInput, options?: PatchOptions): Promise<Person>;
    /** Erase name and e-mail of a person. For good, also where the database falls back. The id stays, and is called `somebody`; claims of a token name it no more. It needs no version; again: 204. Needs `kanban:admin`. */
    erase(personId: string, options?: CallOptions): Promise<void>;
  };
  me: {
    /** Read whom the token stands for. And what it may do, and until when. Needs `kanban:read`. */
    get(options?: CallOptions): Promise<Me>;
  };
}

/** Codes of errors that this version knows. */
export const errorCodes: ReadonlySet<string> = new Set(['invalid_request', 'unauthenticated', 'insufficient_scope', 'forbidden', 'not_found', 'method_not_allowed', 'conflict', 'gone', 'precondition_failed', 'payload_too_large', 'unsupported_media_type', 'validation_error', 'idempotency_key_reused', 'precondition_required', 'rate_limited', 'internal', 'unavailable']);

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
    search: { id: 'searchCards', method: 'GET', path: '/cards', hasQuery: true, result: 'list' },
    move: { id: 'moveCard', method: 'POST', path: '/cards/{card_id}/move', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    transfer: { id: 'transferCard', method: 'POST', path: '/cards/{card_id}/workstream', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    archive: { id: 'archiveCard', method: 'POST', path: '/cards/{card_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
    restore: { id: 'restoreCard', method: 'POST', path: '/cards/{card_id}/restore', isVersioned: true, hasKey: true, result: 'data' },
    addAssignee: { id: 'putCardAssignee', method: 'PUT', path: '/cards/{card_id}/assignees/{user_id}', result: 'data' },
    removeAssignee: { id: 'deleteCardAssignee', method: 'DELETE', path: '/cards/{card_id}/assignees/{user_id}', result: 'nothing' },
    bulk: { id: 'bulkCards', method: 'POST', path: '/cards/bulk', hasKey: true, hasBody: true, result: 'data' },
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
    listEvents: { id: 'listCardEvents', method: 'GET', path: '/cards/{card_id}/events', hasQuery: true, result: 'list' },
    adopt: { id: 'adoptCards', method: 'POST', path: '/workstreams/{workstream_id}/adoptions', hasKey: true, hasBody: true, result: 'data' },
  },
  labels: {
    create: { id: 'createLabel', method: 'POST', path: '/labels', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listLabels', method: 'GET', path: '/labels', hasQuery: true, result: 'list' },
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
  identifiers: {
    resolve: { id: 'resolveIdentifiers', method: 'POST', path: '/identifiers/resolve', hasBody: true, result: 'data' },
  },
  events: {
    list: { id: 'listEvents', method: 'GET', path: '/events', hasQuery: true, result: 'list' },
    follow: { id: 'streamEvents', method: 'GET', path: '/events/stream', hasQuery: true, result: 'stream' },
  },
  webhooks: {
    create: { id: 'createWebhook', method: 'POST', path: '/webhooks', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listWebhooks', method: 'GET', path: '/webhooks', result: 'list' },
    get: { id: 'getWebhook', method: 'GET', path: '/webhooks/{webhook_id}', result: 'data' },
    update: { id: 'patchWebhook', method: 'PATCH', path: '/webhooks/{webhook_id}', isVersioned: true, hasBody: true, result: 'data' },
    delete: { id: 'deleteWebhook', method: 'DELETE', path: '/webhooks/{webhook_id}', isVersioned: true, result: 'nothing' },
    rotate: { id: 'rotateWebhook', method: 'POST', path: '/webhooks/{webhook_id}/rotate', isVersioned: true, hasKey: true, result: 'data' },
    takeover: { id: 'takeoverWebhook', method: 'POST', path: '/webhooks/{webhook_id}/take-over', isVersioned: true, hasKey: true, result: 'data' },
    ping: { id: 'pingWebhook', method: 'POST', path: '/webhooks/{webhook_id}/ping', hasKey: true, result: 'data' },
    replay: { id: 'replayWebhook', method: 'POST', path: '/webhooks/{webhook_id}/replay', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    listDeliveries: { id: 'listDeliveries', method: 'GET', path: '/webhooks/{webhook_id}/deliveries', result: 'list' },
  },
  workstreams: {
    create: { id: 'createWorkstream', method: 'POST', path: '/workstreams', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listWorkstreams', method: 'GET', path: '/workstreams', hasQuery: true, result: 'list' },
    get: { id: 'getWorkstream', method: 'GET', path: '/workstreams/{workstream_id}', result: 'data' },
    update: { id: 'patchWorkstream', method: 'PATCH', path: '/workstreams/{workstream_id}', isVersioned: true, hasBody: true, result: 'data' },
    archive: { id: 'archiveWorkstream', method: 'POST', path: '/workstreams/{workstream_id}/archive', isVersioned: true, hasKey: true, result: 'data' },
    open: { id: 'openWorkstream', method: 'POST', path: '/workstreams/{workstream_id}/open', isVersioned: true, hasKey: true, hasBody: true, result: 'data' },
    listIdentifiers: { id: 'listWorkstreamIdentifiers', method: 'GET', path: '/workstreams/{workstream_id}/identifiers', hasQuery: true, result: 'list' },
  },
  keys: {
    create: { id: 'createApiKey', method: 'POST', path: '/api-keys', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listApiKeys', method: 'GET', path: '/api-keys', hasQuery: true, result: 'list' },
    get: { id: 'getApiKey', method: 'GET', path: '/api-keys/{api_key_id}', result: 'data' },
    revoke: { id: 'revokeApiKey', method: 'DELETE', path: '/api-keys/{api_key_id}', result: 'nothing' },
    rotate: { id: 'rotateApiKey', method: 'POST', path: '/api-keys/{api_key_id}/rotate', hasKey: true, hasBody: true, result: 'data' },
    revokeOfUser: { id: 'revokeApiKeysOfUser', method: 'POST', path: '/api-keys/revoke', hasKey: true, hasBody: true, result: 'data' },
  },
  people: {
    add: { id: 'addPerson', method: 'POST', path: '/people', hasKey: true, hasBody: true, result: 'data' },
    list: { id: 'listPeople', method: 'GET', path: '/people', hasQuery: true, result: 'list' },
    get: { id: 'getPerson', method: 'GET', path: '/people/{person_id}', result: 'data' },
    update: { id: 'patchPerson', method: 'PATCH', path: '/people/{person_id}', isVersioned: true, hasBody: true, result: 'data' },
    erase: { id: 'erasePerson', method: 'DELETE', path: '/people/{person_id}', result: 'nothing' },
  },
  me: {
    get: { id: 'getMe', method: 'GET', path: '/me', result: 'data' },
  },
} as const;
