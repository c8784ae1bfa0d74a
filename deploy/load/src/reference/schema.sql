-- The same tables as Cardinal's services have, in one database: what one process needs to write a card, its number, its
-- history, its audit row and its idempotency record in one transaction.
create table boards (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  visibility text not null,
  default_workstream_id uuid,
  deleted_at timestamptz(3),
  archived_at timestamptz(3),
  created_by uuid not null,
  primary key (workspace_id, id)
);
create table board_members (
  workspace_id uuid not null,
  board_id uuid not null,
  user_id uuid not null,
  primary key (workspace_id, board_id, user_id)
);
create table columns (
  workspace_id uuid not null,
  id uuid not null,
  board_id uuid not null,
  position double precision not null,
  archived_at timestamptz(3),
  -- the position of its topmost card, so that a new one needs no look at the cards
  top double precision not null default 0,
  primary key (workspace_id, id)
);
create table workstreams (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  prefix text not null,
  is_default boolean not null,
  archived_at timestamptz(3),
  last_number bigint not null default 0,
  primary key (workspace_id, id),
  unique (workspace_id, prefix)
);
create table cards (
  workspace_id uuid not null,
  id uuid not null,
  version integer not null,
  board_id uuid not null,
  column_id uuid not null,
  position double precision not null,
  title text not null,
  description text,
  due_date timestamptz(3),
  priority text,
  completed_at timestamptz(3),
  archived_at timestamptz(3),
  created_by uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  assignee_user_ids uuid[] not null default '{}',
  label_ids uuid[] not null default '{}',
  subtask_total integer not null default 0,
  subtask_completed integer not null default 0,
  comment_count integer not null default 0,
  workstream_id uuid not null,
  identifier text not null,
  primary key (workspace_id, id),
  unique (workspace_id, identifier),
  unique (workspace_id, column_id, position)
);
create table identifiers (
  workspace_id uuid not null,
  identifier text not null,
  card_id uuid not null,
  workstream_id uuid not null,
  assigned_at timestamptz(3) not null,
  assigned_by uuid not null,
  superseded_at timestamptz(3),
  primary key (workspace_id, identifier)
);
create index identifiers_of_card on identifiers (workspace_id, card_id);
create table dependencies (
  workspace_id uuid not null,
  card_id uuid not null,
  depends_on_card_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, card_id, depends_on_card_id)
);
create index dependents on dependencies (workspace_id, depends_on_card_id);
create table commands (
  workspace_id uuid not null,
  id text not null,
  fingerprint text not null,
  status integer,
  body text,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);
-- Who changed what, as whoever is asked about it a year later wants to know: an audit row for each change.
create table audit (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  type text not null,
  subject_id uuid not null,
  user_id uuid not null,
  at timestamptz(3) not null,
  changed jsonb not null
);
create index audit_of_subject on audit (workspace_id, subject_id, id);
