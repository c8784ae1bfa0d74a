import type { Board, Card } from '@cardinal/contracts';
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
