import { z } from 'zod';
import { caller, defineRequest } from './bus.ts';
import { operationsOf } from './operation.ts';
import { changed, created, deleted, listed, unversioned, versioned } from './response.ts';
import {
  archived,
  archivedAt,
  createdBy,
  doc,
  head,
  named,
  shown,
  someOf,
  times,
  timestamp,
  trimmedText,
  uuid,
} from './scalars.ts';

export const board = z
  .object({
    ...head('board'),
    name: doc(shown(120), 'What it is called.', 'Payments'),
    visibility: doc(
      z.enum(['workspace', 'private']),
      'Who sees it: everyone in the workspace, or its creator and its members.',
    ),
    default_workstream_id: doc(
      uuid.nullable(),
      'The workstream of cards that name none; null is that of the workspace.',
      null,
    ),
    archived_at: archivedAt,
    created_by: createdBy,
    ...times,
  })
  .meta({ id: 'Board', description: 'Columns of cards, seen by the workspace or by its members.' });
export type Board = z.infer<typeof board>;

const fields = {
  name: doc(trimmedText(120), 'What it is called.', 'Payments'),
  visibility: board.shape.visibility,
  default_workstream_id: board.shape.default_workstream_id,
};

const operation = operationsOf('card', 'Boards');

export const createBoard = operation('createBoard', 'POST /boards', {
  summary: 'Create a board',
  description: 'Whoever creates it manages it.',
  body: z.strictObject({
    name: fields.name,
    visibility: fields.visibility.default('workspace'),
    default_workstream_id: fields.default_workstream_id.default(null),
  }),
  reply: created(board, 'boards'),
  emits: ['board.created'],
  refusals: ['not_found', 'conflict'],
  example: { name: 'Payments' },
});

export const listBoards = operation('listBoards', 'GET /boards', {
  tool: { name: 'list_boards' },
  summary: 'List the boards of the workspace',
  description:
    'Those that the caller sees, oldest first. `mine=admin` (`kanban:admin`) lists instead the private boards that have no members and that the caller does not see: their creator may have left. An admin takes one over by becoming a member.',
  query: {
    archived,
    name: named,
    mine: z.enum(['admin']).optional().describe('`admin`: private boards without members, for admins to take over'),
  },
  asAdmin: true,
  reply: listed(board),
  refusals: ['insufficient_scope'],
});

export const getBoard = operation('getBoard', 'GET /boards/:board_id', {
  tool: { name: 'read_board', along: { columns: 'listColumns' } },
  summary: 'Read a board',
  reply: versioned(board),
});

export const patchBoard = operation('patchBoard', 'PATCH /boards/:board_id', {
  summary: 'Edit a board',
  description: 'Its visibility is changed by its creator, its owners and `kanban:admin` only; for others: 403.',
  asAdmin: true,
  body: someOf(fields),
  reply: changed(board),
  emits: ['board.updated'],
  refusals: ['insufficient_scope', 'not_found', 'conflict'],
  example: { name: 'Payments and refunds' },
});

export const archiveBoard = operation('archiveBoard', 'POST /boards/:board_id/archive', {
  summary: 'Archive a board',
  description: 'An archived board takes no new columns or cards; its cards stay editable, and move.',
  reply: changed(board),
  emits: ['board.archived'],
});

export const restoreBoard = operation('restoreBoard', 'POST /boards/:board_id/restore', {
  summary: 'Restore an archived board',
  description: 'It takes columns and cards again. Restoring an active one changes nothing.',
  reply: changed(board),
  emits: ['board.restored'],
});

export const deleteBoard = operation('deleteBoard', 'DELETE /boards/:board_id', {
  summary: 'Delete a board',
  description: 'The board leaves every listing. Its cards still answer by id and by identifier, and take no writes.',
  scope: 'kanban:admin',
  requires: ['If-Match'],
  reply: deleted(),
  emits: ['board.deleted'],
});

const role = z.enum(['member', 'owner']);

export const boardMember = z
  .object({
    board_id: doc(uuid, 'The board.'),
    user_id: doc(uuid, 'The user.'),
    role: doc(role, 'An owner manages the board as its creator does.'),
    created_at: doc(timestamp, 'Since when.'),
  })
  .meta({ id: 'BoardMember', description: 'A user who sees a private board besides its creator.' });

const managers = 'By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403.';

export const putBoardMember = operation('putBoardMember', 'PUT /boards/:board_id/members/:user_id', {
  as: { user_id: 'member_user_id' },
  summary: 'Make a user a member of a board, in a role',
  description: `A private board is seen by its creator and its members only. Without a role, who is a member keeps the one that he has, and others become \`member\`. ${managers}`,
  asAdmin: true,
  body: z
    .strictObject({
      role: doc(role, 'An owner manages the board as its creator does; left out, a member’s role stays.').optional(),
    })
    .prefault({}),
  reply: unversioned(boardMember),
  emits: ['member.added'],
  refusals: ['insufficient_scope', 'conflict'],
  example: { role: 'owner' },
});

export const deleteBoardMember = operation('deleteBoardMember', 'DELETE /boards/:board_id/members/:user_id', {
  as: { user_id: 'member_user_id' },
  summary: 'End a user’s membership of a board',
  description: managers,
  asAdmin: true,
  reply: deleted(),
  emits: ['member.removed'],
  refusals: ['insufficient_scope'],
});

/** In the order of user ids. */
export const listBoardMembers = operation('listBoardMembers', 'GET /boards/:board_id/members', {
  summary: 'List the members of a board',
  description: 'For everyone who sees the board, and `kanban:admin`. Its creator needs no membership.',
  asAdmin: true,
  reply: listed(boardMember),
});

/** Answers which of the boards exist and are visible to the caller, in any order. */
export const filterBoards = defineRequest(
  'card.filter-boards',
  caller.extend({ board_ids: z.array(uuid).max(10_000) }),
  z.object({ board_ids: z.array(uuid) }),
  [],
  ['attachment', 'event'],
);
