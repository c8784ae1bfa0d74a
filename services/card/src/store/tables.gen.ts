import type { ColumnType } from 'kysely';

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
export type Json = JsonValue;
export type JsonArray = JsonValue[];
export type JsonObject = { [x: string]: JsonValue | undefined };
export type JsonPrimitive = boolean | number | string | null;
export type JsonValue = JsonArray | JsonObject | JsonPrimitive;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface Boards {
  archived_at: Timestamp | null;
  created_at: Timestamp;
  created_by: string;
  default_workstream_id: string | null;
  deleted_at: Timestamp | null;
  id: string;
  name: string;
  updated_at: Timestamp;
  version: number;
  visibility: string;
  workspace_id: string;
}

export interface CardDependencies {
  card_id: string;
  depends_on_card_id: string;
  workspace_id: string;
}

export interface Cards {
  archived_at: Timestamp | null;
  assignee_user_ids: Generated<string[]>;
  board_id: string;
  column_id: string;
  comment_count: Generated<number>;
  completed_at: Timestamp | null;
  created_at: Timestamp;
  created_by: string;
  description: string | null;
  due_date: Timestamp | null;
  id: string;
  identifier: string;
  label_ids: Generated<string[]>;
  position: number;
  priority: string | null;
  subtask_completed: Generated<number>;
  subtask_total: Generated<number>;
  title: string;
  updated_at: Timestamp;
  version: number;
  workspace_id: string;
  workstream_id: string;
}

export interface Columns {
  archived_at: Timestamp | null;
  board_id: string;
  created_at: Timestamp;
  id: string;
  name: string;
  position: number;
  updated_at: Timestamp;
  version: number;
  workspace_id: string;
}

export interface Operations {
  assigned_at: Timestamp | null;
  card_id: string;
  card_version: number | null;
  command_id: string;
  created_at: Timestamp;
  id: string;
  payload: Json;
  state: string;
  workspace_id: string;
}

export interface Workstreams {
  id: string;
  name: string;
  prefix: string;
  version: number;
  workspace_id: string;
}

export interface DB {
  boards: Boards;
  card_dependencies: CardDependencies;
  cards: Cards;
  columns: Columns;
  operations: Operations;
  workstreams: Workstreams;
}
