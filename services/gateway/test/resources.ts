import type { Board, Card, Column, Comment, File, Label, Subtask, Workstream } from '@cardinal/contracts';
import { v7 } from 'uuid';

const now = '2026-01-02T03:04:05.678Z';
const times = { created_at: now, updated_at: now };

export const aBoard = (more: Partial<Board> = {}): Board => ({
  id: v7(),
  type: 'board',
  version: 1,
  name: 'Payments',
  visibility: 'workspace',
  default_workstream_id: null,
  archived_at: null,
  created_by: v7(),
  ...times,
  ...more,
});

export const aColumn = (more: Partial<Column> = {}): Column => ({
  id: v7(),
  type: 'column',
  version: 1,
  board_id: v7(),
  name: 'To do',
  position: 1,
  archived_at: null,
  ...times,
  ...more,
});

export const aWorkstream = (more: Partial<Workstream> = {}): Workstream => ({
  id: v7(),
  type: 'workstream',
  version: 1,
  name: 'Payments',
  prefix: 'PAY',
  description: null,
  is_default: false,
  archived_at: null,
  ...times,
  ...more,
});

export const aCard = (more: Partial<Card> = {}): Card => ({
  id: v7(),
  type: 'card',
  version: 3,
  board_id: v7(),
  column_id: v7(),
  title: 'Pay 😀',
  description: null,
  position: 1.5,
  due_date: null,
  priority: null,
  completed_at: null,
  archived_at: null,
  created_by: v7(),
  ...times,
  assignee_user_ids: [],
  label_ids: [],
  subtask_total: 0,
  subtask_completed: 0,
  comment_count: 0,
  identifier: 'PAY-7',
  workstream: { id: v7(), name: 'Payments', prefix: 'PAY' },
  ...more,
});

export const aLabel = (more: Partial<Label> = {}): Label => ({
  id: v7(),
  type: 'label',
  version: 2,
  name: 'bug',
  colour: '#d73a4a',
  ...times,
  ...more,
});

export const aComment = (more: Partial<Comment> = {}): Comment => ({
  id: v7(),
  type: 'comment',
  version: 1,
  card_id: v7(),
  body: ' Looks good 😀\n',
  created_by: v7(),
  ...times,
  ...more,
});

export const aSubtask = (more: Partial<Subtask> = {}): Subtask => ({
  id: v7(),
  type: 'subtask',
  version: 4,
  card_id: v7(),
  title: 'Ask the bank',
  completed_at: null,
  position: 1024,
  linked_file: null,
  ...times,
  ...more,
});

export const aFile = (more: Partial<File> = {}): File => ({
  id: v7(),
  type: 'file',
  name: 'a.png',
  status: 'clean',
  rejection: null,
  content_type: 'image/png',
  size: 5,
  board_id: null,
  created_by: v7(),
  ...times,
  ...more,
});
