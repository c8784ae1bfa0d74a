CREATE TABLE card.board_members (
    workspace_id uuid NOT NULL,
    board_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE card.boards (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    visibility text NOT NULL,
    default_workstream_id uuid,
    archived_at timestamp(3) with time zone,
    deleted_at timestamp(3) with time zone,
    created_by uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT boards_visibility_check CHECK ((visibility = ANY (ARRAY['workspace'::text, 'private'::text])))
);
CREATE TABLE card.card_dependencies (
    workspace_id uuid NOT NULL,
    card_id uuid NOT NULL,
    depends_on_card_id uuid NOT NULL,
    version bigint NOT NULL,
    present boolean NOT NULL
);
CREATE TABLE card.cards (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    board_id uuid NOT NULL,
    column_id uuid NOT NULL,
    "position" double precision NOT NULL,
    title text NOT NULL,
    description text,
    due_date timestamp(3) with time zone,
    priority text,
    completed_at timestamp(3) with time zone,
    archived_at timestamp(3) with time zone,
    created_by uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    assignee_user_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    label_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    subtask_total integer DEFAULT 0 NOT NULL,
    subtask_completed integer DEFAULT 0 NOT NULL,
    comment_count integer DEFAULT 0 NOT NULL,
    workstream_id uuid NOT NULL,
    identifier text NOT NULL,
    CONSTRAINT cards_priority_check CHECK ((priority = ANY (ARRAY['super_urgent'::text, 'urgent'::text, 'important'::text, 'nice_to_have'::text])))
);
CREATE TABLE card.columns (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    board_id uuid NOT NULL,
    name text NOT NULL,
    "position" double precision NOT NULL,
    archived_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE card.commands (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    fingerprint text NOT NULL,
    response jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone
)
WITH (fillfactor='60');
CREATE TABLE card.comments (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    card_id uuid NOT NULL,
    body text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE card.dead_letters (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event json NOT NULL,
    error text NOT NULL,
    failed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE card.inbox (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    applied_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE card.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE card.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE card.labels (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    colour text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE card.operations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    command_id uuid NOT NULL,
    card_id uuid NOT NULL,
    state text NOT NULL,
    payload jsonb NOT NULL,
    card_version integer,
    assigned_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT operations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'committed'::text])))
);
CREATE TABLE card.outbox (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    subject text NOT NULL,
    event jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    leased_until timestamp(3) with time zone,
    published_at timestamp(3) with time zone
)
WITH (fillfactor='60');
CREATE TABLE card.subtasks (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    card_id uuid NOT NULL,
    title text NOT NULL,
    completed_at timestamp(3) with time zone,
    "position" double precision NOT NULL,
    linked_file jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    linked_file_version integer DEFAULT 0 NOT NULL
);
CREATE TABLE card.workstreams (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL
);
INSERT INTO card.boards VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d01-7602-8926-c9c24ea2fe6c', 1, 'Launch', 'workspace', NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.649+00', '2026-11-22 03:00:11.649+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e37-71ba-923c-28614d3d5994', 1, 'Former', 'workspace', NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:01.111+00', '2026-11-22 03:01:01.111+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-33f7-77b2-9d27-dcd9882e41f3', 1, 'Files under Payments', 'workspace', '01a20133-2e73-71cb-98fb-ec6660903485', NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.583+00', '2026-11-22 03:01:02.583+00');
INSERT INTO card.cards VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d4d-73d6-af97-99cc89baa5ac', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', '01a20132-6d3c-77fe-ab5b-fc71fa151974', 0, 'Choose a name', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.74+00', '2026-11-22 03:00:11.74+00', '{}', '{}', 0, 0, 0, '01a20132-6cc1-74c1-b511-9addba4680d1', 'WEB-1'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d79-75ed-a18e-10d03ec6d08e', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', '01a20132-6d2d-71e5-b465-e36cf925e07a', 0, 'Draw the front page', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.781+00', '2026-11-22 03:00:11.781+00', '{}', '{}', 0, 0, 0, '01a20132-6cc1-74c1-b511-9addba4680d1', 'WEB-2'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6dc2-7441-b120-83e6ac9b3f35', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', '01a20132-6d19-739c-86d9-d1feb1a1cd06', -1, 'Sign in with a passkey', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.851+00', '2026-11-22 03:00:11.851+00', '{}', '{}', 0, 0, 0, '01a20132-6cdc-75c7-9443-ed12e249d712', 'APP-1'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6de6-756d-a702-8f26332af897', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', '01a20132-6d19-739c-86d9-d1feb1a1cd06', -2, 'Order the cake', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.902+00', '2026-11-22 03:00:11.902+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-1'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d98-768e-926e-7d3eceb3f223', 2, '01a20132-6d01-7602-8926-c9c24ea2fe6c', '01a20132-6d19-739c-86d9-d1feb1a1cd06', 0, 'Push notifications', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:00:11.815+00', '2026-11-22 03:00:11.948+00', '{}', '{}', 0, 0, 0, '01a20132-6cdc-75c7-9443-ed12e249d712', 'APP-2'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2f68-76a1-a8d7-5467d0a23142', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -3, 'of an archived workstream', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:01.432+00', '2026-11-22 03:01:01.432+00', '{}', '{}', 0, 0, 0, '01a20133-2e8d-7455-9d5e-e5a30fb27158', 'FOLD-1'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2f9d-7041-ad39-0e5bb9b3b46f', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -4, 'second of it', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:01.495+00', '2026-11-22 03:01:01.495+00', '{}', '{}', 0, 0, 0, '01a20133-2e8d-7455-9d5e-e5a30fb27158', 'FOLD-2'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2ef5-71ac-afa2-5b4a60167c87', 5, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', 0, 'alias, renamed', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:01.309+00', '2026-11-22 03:01:02.247+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-2'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3433-7565-b4b5-e27a9a3e6ee1', 1, '01a20133-33f7-77b2-9d27-dcd9882e41f3', '01a20133-3411-7675-98c0-ac707e54554f', 0, 'by default', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.653+00', '2026-11-22 03:01:02.653+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-3'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2f14-7137-b5ea-54b29180633e', 4, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -7, 'stays', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:01.347+00', '2026-11-22 03:01:02.907+00', '{}', '{}', 1, 0, 1, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-3'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3553-739d-9f18-84f9cb3d90c5', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -8, 'more 0', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.952+00', '2026-11-22 03:01:02.952+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-5'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-355c-779d-822d-76cbcaf7cf47', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -9, 'more 1', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.967+00', '2026-11-22 03:01:02.967+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-4'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3568-7070-b23a-098bee140e38', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -10, 'more 2', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.987+00', '2026-11-22 03:01:02.987+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-6'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3568-7070-b23a-1205510d7e3e', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -11, 'more 3', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.987+00', '2026-11-22 03:01:02.987+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-5'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-063244dd8cda', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -12, 'more 4', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-7'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-0d98d1593932', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -13, 'more 5', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-6'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-145eebab860b', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -14, 'more 6', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-8'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-1d4deab9a3b5', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -15, 'more 7', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-7'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-27f8406a0f3d', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -16, 'more 8', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-9'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-2c695f10a60b', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -17, 'more 9', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-8'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-36e397b92062', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -18, 'more 10', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20132-6ca4-77cd-868f-5491bcb8ff62', 'MAIN-10'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3575-7702-902b-3f00d08eed58', 1, '01a20133-2e37-71ba-923c-28614d3d5994', '01a20133-2e63-779b-8e02-c1670f65d19f', -19, 'more 11', NULL, NULL, NULL, NULL, NULL, '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:03.008+00', '{}', '{}', 0, 0, 0, '01a20133-2e73-71cb-98fb-ec6660903485', 'FPAY-9');
INSERT INTO card.columns VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d19-739c-86d9-d1feb1a1cd06', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', 'To do', 0, NULL, '2026-11-22 03:00:11.673+00', '2026-11-22 03:00:11.673+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d2d-71e5-b465-e36cf925e07a', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', 'Doing', 1, NULL, '2026-11-22 03:00:11.693+00', '2026-11-22 03:00:11.693+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6d3c-77fe-ab5b-fc71fa151974', 1, '01a20132-6d01-7602-8926-c9c24ea2fe6c', 'Done', 2, NULL, '2026-11-22 03:00:11.708+00', '2026-11-22 03:00:11.708+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e63-779b-8e02-c1670f65d19f', 1, '01a20133-2e37-71ba-923c-28614d3d5994', 'To do', 0, NULL, '2026-11-22 03:01:01.155+00', '2026-11-22 03:01:01.155+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3411-7675-98c0-ac707e54554f', 1, '01a20133-33f7-77b2-9d27-dcd9882e41f3', 'Doing', 0, NULL, '2026-11-22 03:01:02.609+00', '2026-11-22 03:01:02.609+00');
INSERT INTO card.commands VALUES
	('0199d000-0000-7000-8000-000000000001', '5a61f6b9-531a-869c-a966-3cadf967a945', '50b18927608e36b1502211689d9f4ccb9a94d7de1ef7fc12ec0ba7cbe34194ce', '{"id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "name": "Launch", "type": "board", "version": 1, "created_at": "2026-11-22T03:00:11.649Z", "created_by": "0199d000-0000-7000-8000-000000000002", "updated_at": "2026-11-22T03:00:11.649Z", "visibility": "workspace", "archived_at": null, "default_workstream_id": null}', '2026-11-22 03:00:11.647+00', '2026-11-22 03:00:11.647+00'),
	('0199d000-0000-7000-8000-000000000001', '2b9a1a89-bf5c-8dce-bcd7-c37698ed6fe1', '30cb22c8984e713340236ad5726ab62d84b3e49a7fd73ef6363a43e6f3ea5029', '{"id": "01a20132-6d19-739c-86d9-d1feb1a1cd06", "name": "To do", "type": "column", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "position": 0, "created_at": "2026-11-22T03:00:11.673Z", "updated_at": "2026-11-22T03:00:11.673Z", "archived_at": null}', '2026-11-22 03:00:11.672+00', '2026-11-22 03:00:11.672+00'),
	('0199d000-0000-7000-8000-000000000001', '3c42bcb4-4b2c-86d7-9b4c-ab0db4b7feb3', '9223263cf1d72531668563818034b2b496b094d0a7e3271d7280bd8caef10ac9', '{"id": "01a20132-6d2d-71e5-b465-e36cf925e07a", "name": "Doing", "type": "column", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "position": 1, "created_at": "2026-11-22T03:00:11.693Z", "updated_at": "2026-11-22T03:00:11.693Z", "archived_at": null}', '2026-11-22 03:00:11.692+00', '2026-11-22 03:00:11.692+00'),
	('0199d000-0000-7000-8000-000000000001', '150b06a4-bb5a-8bad-a364-41719bbd3e07', '3d28cedfe730f5bd16cca15ea592e3557370a6d332aeb965f0163bfae64a46f5', '{"id": "01a20132-6d3c-77fe-ab5b-fc71fa151974", "name": "Done", "type": "column", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "position": 2, "created_at": "2026-11-22T03:00:11.708Z", "updated_at": "2026-11-22T03:00:11.708Z", "archived_at": null}', '2026-11-22 03:00:11.707+00', '2026-11-22 03:00:11.707+00'),
	('0199d000-0000-7000-8000-000000000001', '0f7bd3cd-8b68-82d0-b939-eb84e41318f6', '850efbcad4221acbdac0638245b3e9bd971dd416f4dd2ca2d31619075e0fbd85', '{"id": "01a20132-6d4d-73d6-af97-99cc89baa5ac", "type": "card", "title": "Choose a name", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": 0, "priority": null, "column_id": "01a20132-6d3c-77fe-ab5b-fc71fa151974", "label_ids": [], "created_at": "2026-11-22T03:00:11.740Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "WEB-1", "updated_at": "2026-11-22T03:00:11.740Z", "workstream": {"id": "01a20132-6cc1-74c1-b511-9addba4680d1", "name": "Website", "prefix": "WEB"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.722+00', '2026-11-22 03:00:11.74+00'),
	('0199d000-0000-7000-8000-000000000001', '6c6639f2-e479-8dbb-b5f4-8384805e8ba9', '95ce325ec834065f68bd44fdbf2562987a7e4f253a8d38ab8a700c2eabc34f28', '{"id": "01a20132-6d79-75ed-a18e-10d03ec6d08e", "type": "card", "title": "Draw the front page", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": 0, "priority": null, "column_id": "01a20132-6d2d-71e5-b465-e36cf925e07a", "label_ids": [], "created_at": "2026-11-22T03:00:11.781Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "WEB-2", "updated_at": "2026-11-22T03:00:11.781Z", "workstream": {"id": "01a20132-6cc1-74c1-b511-9addba4680d1", "name": "Website", "prefix": "WEB"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.767+00', '2026-11-22 03:00:11.781+00'),
	('0199d000-0000-7000-8000-000000000001', '3ba236d3-458c-839a-bf62-aa272d0377d8', '624809e976fcec8d1dbc4d3cfce07f4e62b6af8edcd2572bddeec082ee4f4853', '{"id": "01a20132-6d98-768e-926e-7d3eceb3f223", "type": "card", "title": "Push notifications", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": 0, "priority": null, "column_id": "01a20132-6d19-739c-86d9-d1feb1a1cd06", "label_ids": [], "created_at": "2026-11-22T03:00:11.815Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "WEB-3", "updated_at": "2026-11-22T03:00:11.815Z", "workstream": {"id": "01a20132-6cc1-74c1-b511-9addba4680d1", "name": "Website", "prefix": "WEB"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.798+00', '2026-11-22 03:00:11.815+00'),
	('0199d000-0000-7000-8000-000000000001', '8b442774-ef91-81d6-8d3d-e3e5dfc09a1e', 'f42b35a6bd8790e5c888c34a55ed6b13b99a5c5073dae08f548b12da7e22b175', '{"id": "01a20132-6dc2-7441-b120-83e6ac9b3f35", "type": "card", "title": "Sign in with a passkey", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": -1, "priority": null, "column_id": "01a20132-6d19-739c-86d9-d1feb1a1cd06", "label_ids": [], "created_at": "2026-11-22T03:00:11.851Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "APP-1", "updated_at": "2026-11-22T03:00:11.851Z", "workstream": {"id": "01a20132-6cdc-75c7-9443-ed12e249d712", "name": "Mobile app", "prefix": "APP"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.837+00', '2026-11-22 03:00:11.851+00'),
	('0199d000-0000-7000-8000-000000000001', '221ad6ec-7840-87c2-8bfd-b8946b3230c9', 'c08c826deb49d32c89d291b8fbfef184b74590ce97ef750eb4386f4d6a50f67f', '{"id": "01a20132-6de6-756d-a702-8f26332af897", "type": "card", "title": "Order the cake", "version": 1, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": -2, "priority": null, "column_id": "01a20132-6d19-739c-86d9-d1feb1a1cd06", "label_ids": [], "created_at": "2026-11-22T03:00:11.902Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-1", "updated_at": "2026-11-22T03:00:11.902Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.874+00', '2026-11-22 03:00:11.902+00'),
	('0199d000-0000-7000-8000-000000000001', '47842f0e-469d-8a6a-bcb6-7cfbfecc49bd', 'ecfd5370c89c195c1b4b02fc374f06e2b3eeda232aa672ea42c50c8b5aba9ed1', '{"id": "01a20133-2f14-7137-b5ea-54b29180633e", "type": "card", "title": "stays", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -1, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.347Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-3", "updated_at": "2026-11-22T03:01:01.347Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.328+00', '2026-11-22 03:01:01.347+00'),
	('0199d000-0000-7000-8000-000000000001', '86cec0c8-48e0-8e04-bb3e-dfa02e9c97e5', '92bf432d61d35dd3988b68e722edad6df060efaeb4e1c1a4d47b15bebfeacdb5', '{"id": "01a20133-2f3a-712b-9c86-2b5f70812c7f", "type": "card", "title": "deleted", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -2, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.388Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-4", "updated_at": "2026-11-22T03:01:01.388Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.368+00', '2026-11-22 03:01:01.388+00'),
	('0199d000-0000-7000-8000-000000000001', 'ee51024c-fdcb-843a-abe0-669e72734489', 'ce08814859e5ba40b761ba95af15590ef281c0d5315635cead62bab2981aded2', '{"id": "01a20133-2ef5-71ac-afa2-5b4a60167c87", "type": "card", "title": "alias", "version": 2, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": 0, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.309Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-1", "updated_at": "2026-11-22T03:01:01.715Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.596+00', '2026-11-22 03:01:01.715+00'),
	('0199d000-0000-7000-8000-000000000001', '3baf6d06-dccd-8280-b606-a0a6b5c9c8a0', 'f39eb64e223db0fdaa3a20a972a896669c230f404e52dff98f1f12a59055a8af', '{"id": "01a20132-6d98-768e-926e-7d3eceb3f223", "type": "card", "title": "Push notifications", "version": 2, "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "due_date": null, "position": 0, "priority": null, "column_id": "01a20132-6d19-739c-86d9-d1feb1a1cd06", "label_ids": [], "created_at": "2026-11-22T03:00:11.815Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "APP-2", "updated_at": "2026-11-22T03:00:11.948Z", "workstream": {"id": "01a20132-6cdc-75c7-9443-ed12e249d712", "name": "Mobile app", "prefix": "APP"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:00:11.939+00', '2026-11-22 03:00:11.948+00'),
	('0199d000-0000-7000-8000-000000000001', '21039c69-0902-8a3f-b148-061432b7da3f', '5081bcc2d32083871b882ac3c81828d1666bad33de72ba28fb220e3cb37dad5d', '{"id": "01a20133-2e37-71ba-923c-28614d3d5994", "name": "Former", "type": "board", "version": 1, "created_at": "2026-11-22T03:01:01.111Z", "created_by": "0199d000-0000-7000-8000-000000000002", "updated_at": "2026-11-22T03:01:01.111Z", "visibility": "workspace", "archived_at": null, "default_workstream_id": null}', '2026-11-22 03:01:01.11+00', '2026-11-22 03:01:01.11+00'),
	('0199d000-0000-7000-8000-000000000001', 'c4e6a4c0-41f8-8441-86fb-774407f49b84', 'ecfe45f1a3313772d6d45f1c6db7b2c63e82a68cc1c2e653090ea28e9790b395', '{"id": "01a20133-2e63-779b-8e02-c1670f65d19f", "name": "To do", "type": "column", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "position": 0, "created_at": "2026-11-22T03:01:01.155Z", "updated_at": "2026-11-22T03:01:01.155Z", "archived_at": null}', '2026-11-22 03:01:01.155+00', '2026-11-22 03:01:01.155+00'),
	('0199d000-0000-7000-8000-000000000001', 'd94b9d35-881f-846d-aeef-58c97e3bbe1a', '17a5710a506991d6b66f83fbde4a937772f2b0eed607fcbb84cdc5ed6b9d4809', '{"id": "01a20133-2ef5-71ac-afa2-5b4a60167c87", "type": "card", "title": "alias", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": 0, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.309Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-2", "updated_at": "2026-11-22T03:01:01.309Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.299+00', '2026-11-22 03:01:01.309+00'),
	('0199d000-0000-7000-8000-000000000001', '218ccab9-204f-8f1c-b1f7-d0559c26d1e5', 'c5d91d9dd9f7856247ef42a341d2f151e668dbf62fbee0459a4938c36425e594', '{"id": "01a20133-2f68-76a1-a8d7-5467d0a23142", "type": "card", "title": "of an archived workstream", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -3, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.432Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FOLD-1", "updated_at": "2026-11-22T03:01:01.432Z", "workstream": {"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "prefix": "FOLD"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.414+00', '2026-11-22 03:01:01.432+00'),
	('0199d000-0000-7000-8000-000000000001', '6c92723e-b7a3-844b-8783-8918750ae042', '024555610223246b57efcaac8ef9b42a057ef5c9b4441aa42c7ed295d2ae7a6e', '{"id": "01a20133-2f9d-7041-ad39-0e5bb9b3b46f", "type": "card", "title": "second of it", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -4, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.495Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FOLD-2", "updated_at": "2026-11-22T03:01:01.495Z", "workstream": {"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "prefix": "FOLD"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.466+00', '2026-11-22 03:01:01.495+00'),
	('0199d000-0000-7000-8000-000000000001', '37bd440b-e340-8e1e-b611-7e164c4008da', '40f6dd58eaa975a3f1b3bae6722deeba889bd72057e0f1b5d34f22443c1e4d61', '{"id": "01a20133-2fde-73db-a741-9c04960cab90", "type": "card", "title": "deleted with its number", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -5, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.554Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FGONE-1", "updated_at": "2026-11-22T03:01:01.554Z", "workstream": {"id": "01a20133-2eb0-73cb-83a9-9d253d94292d", "name": "All gone", "prefix": "FGONE"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.525+00', '2026-11-22 03:01:01.554+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-32c2-70a0-be2a-666623f4a080', '0c29261f4003af82f27b53cdd753b90a53218c46fb5b3648751d47838c37e364', '{"event": {"id": "01a20133-32d8-77c1-a571-c456be9282f9", "data": {"board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "identifier": "MAIN-4"}, "type": "card.deleted", "version": 1, "request_id": "66c74171-cd4a-4e86-80f6-391f05a8de94", "occurred_at": "2026-11-22T03:01:02.293Z", "aggregate_id": "01a20133-2f3a-712b-9c86-2b5f70812c7f", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 2}, "deleted": true}', '2026-11-22 03:01:02.285+00', '2026-11-22 03:01:02.293+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-334d-72f5-aadc-7849c0299253', 'a60f8b058fea0e937afbe5f534616f5ca13d415b7cc681c0a1914e27f31f9fb4', '{"event": {"id": "01a20133-335e-71ca-b965-d6b7d3e266a8", "data": {"board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "identifier": "FGONE-1"}, "type": "card.deleted", "version": 1, "request_id": "4458d6dc-5c3a-4d74-a22b-1b6647b2f3bc", "occurred_at": "2026-11-22T03:01:02.427Z", "aggregate_id": "01a20133-2fde-73db-a741-9c04960cab90", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 2}, "deleted": true}', '2026-11-22 03:01:02.417+00', '2026-11-22 03:01:02.427+00'),
	('0199d000-0000-7000-8000-000000000001', 'de756f29-9640-8c98-939d-4fe08d06e1f5', 'a1851f83e2c6a0132acf0656d902204c7a78a4dc45a0a890f9e6428c7025a895', '{"id": "01a20133-33f7-77b2-9d27-dcd9882e41f3", "name": "Files under Payments", "type": "board", "version": 1, "created_at": "2026-11-22T03:01:02.583Z", "created_by": "0199d000-0000-7000-8000-000000000002", "updated_at": "2026-11-22T03:01:02.583Z", "visibility": "workspace", "archived_at": null, "default_workstream_id": "01a20133-2e73-71cb-98fb-ec6660903485"}', '2026-11-22 03:01:02.583+00', '2026-11-22 03:01:02.583+00'),
	('0199d000-0000-7000-8000-000000000001', '92666644-154f-81b8-8fbf-67cb701fdda3', '07dbeecd863a34dd390956a0228a86d9253e177308117cf3af49b211bed29027', '{"id": "01a20133-3411-7675-98c0-ac707e54554f", "name": "Doing", "type": "column", "version": 1, "board_id": "01a20133-33f7-77b2-9d27-dcd9882e41f3", "position": 0, "created_at": "2026-11-22T03:01:02.609Z", "updated_at": "2026-11-22T03:01:02.609Z", "archived_at": null}', '2026-11-22 03:01:02.608+00', '2026-11-22 03:01:02.608+00'),
	('0199d000-0000-7000-8000-000000000001', '76427e8d-3f17-8e9f-9be8-280d66402fa3', '72bc566325b7cda23258970b9619bd24b073642aa5b84b1637a15ea1b7e9a605', '{"id": "01a20133-3433-7565-b4b5-e27a9a3e6ee1", "type": "card", "title": "by default", "version": 1, "board_id": "01a20133-33f7-77b2-9d27-dcd9882e41f3", "due_date": null, "position": 0, "priority": null, "column_id": "01a20133-3411-7675-98c0-ac707e54554f", "label_ids": [], "created_at": "2026-11-22T03:01:02.653Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-3", "updated_at": "2026-11-22T03:01:02.653Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.637+00', '2026-11-22 03:01:02.653+00'),
	('0199d000-0000-7000-8000-000000000001', 'a4f874b1-ed2f-802f-84f3-dc2a6a0f636a', '0aca926cbd7af97cac243828802dd8282527b646d93c4db27804c0d51395a48b', '{"id": "01a20133-2ef5-71ac-afa2-5b4a60167c87", "type": "card", "title": "alias", "version": 3, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": 0, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.309Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FOLD-3", "updated_at": "2026-11-22T03:01:02.091Z", "workstream": {"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "prefix": "FOLD"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:01.913+00', '2026-11-22 03:01:02.091+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-3288-771d-b52a-51afb8f49746', '53a1ee00370409aeac510e7b34219aa1f4eaad2835ea44274c0c89f6ec1666f4', '{"id": "01a20133-2ef5-71ac-afa2-5b4a60167c87", "type": "card", "title": "alias, renamed", "version": 5, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": 0, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.309Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-2", "updated_at": "2026-11-22T03:01:02.247Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.228+00', '2026-11-22 03:01:02.247+00'),
	('0199d000-0000-7000-8000-000000000001', '7df0d38b-affb-8c60-aadf-81cae4f05109', 'ab426eee9bab32e2b84e055d0e51601ddea380b62a1f07933e02b0a1c295402a', '{"id": "01a20133-3575-7702-902b-2c695f10a60b", "type": "card", "title": "more 9", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -17, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-8", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'a55c2353-e9a1-88e9-a13c-ef2d534d5364', '57078d358b81ded00d3e6dc0a0d98c22fe4da17e3cb78d90ccf652d47668f045', '{"id": "01a20133-3575-7702-902b-0d98d1593932", "type": "card", "title": "more 5", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -13, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-6", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'c1336a7d-dacf-895d-b10d-2c0e563c4c82', '1e66262c60513532b86f010b309140c89083e556fdcc357adf3faae1d0cec9a8', '{"id": "01a20133-3575-7702-902b-145eebab860b", "type": "card", "title": "more 6", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -14, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-8", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'cebd1cbc-dcfd-8b70-9801-9d70997d9fec', '2b48a5604be3e20a0d794da9ff68c4a581084caf4f2be9b62d1b9db1a6d5b65a', '{"id": "01a20133-3473-7560-ada9-0739b2434475", "name": "bug", "type": "label", "colour": "#1d76db", "version": 1, "created_at": "2026-11-22T03:01:02.707Z", "updated_at": "2026-11-22T03:01:02.707Z"}', '2026-11-22 03:01:02.703+00', '2026-11-22 03:01:02.703+00'),
	('0199d000-0000-7000-8000-000000000001', '70486f42-089f-8a42-bcb2-f0c33d86128b', 'ddc04fd479f74551863ebdee92c40ce03619641d99645d5efdbad008a0168434', '{"id": "01a20133-349a-7614-897d-23f2d0ec9ad3", "body": "why?", "type": "comment", "card_id": "01a20133-2f14-7137-b5ea-54b29180633e", "version": 1, "created_at": "2026-11-22T03:01:02.746Z", "created_by": "0199d000-0000-7000-8000-000000000002", "updated_at": "2026-11-22T03:01:02.746Z"}', '2026-11-22 03:01:02.743+00', '2026-11-22 03:01:02.745+00'),
	('0199d000-0000-7000-8000-000000000001', 'dafe17a7-e5ce-86ad-9ae2-778c474f5015', '08d45cf1eaa72c6c4f15177a585c250b885ceea1d0a30453f5566ffafbcab3df', '{"id": "01a20133-34ea-75c5-a101-a83e87097ddc", "type": "subtask", "title": "step", "card_id": "01a20133-2f14-7137-b5ea-54b29180633e", "version": 1, "position": 0, "created_at": "2026-11-22T03:01:02.826Z", "updated_at": "2026-11-22T03:01:02.826Z", "linked_file": null, "completed_at": null}', '2026-11-22 03:01:02.791+00', '2026-11-22 03:01:02.826+00'),
	('0199d000-0000-7000-8000-000000000001', '03907e8c-19a0-8194-8099-d9b2b4b32b68', 'bdd65c91183e3e275b0a155f57ef347f9db00220d4ae217ea48b6fc20820c37d', '{"id": "01a20133-3553-739d-9f18-84f9cb3d90c5", "type": "card", "title": "more 0", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -8, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:02.952Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-5", "updated_at": "2026-11-22T03:01:02.952Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.928+00', '2026-11-22 03:01:02.952+00'),
	('0199d000-0000-7000-8000-000000000001', 'ceaeadcd-adda-8a89-8f84-512b677dbdbd', '97359504f7796d3a2f40d37164d7275cc7ef6a897e7e12843e0c45cf0794b2e2', '{"id": "01a20133-355c-779d-822d-76cbcaf7cf47", "type": "card", "title": "more 1", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -9, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:02.967Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-4", "updated_at": "2026-11-22T03:01:02.967Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.938+00', '2026-11-22 03:01:02.967+00'),
	('0199d000-0000-7000-8000-000000000001', '0232382e-7389-8a40-91d8-474d2ab438e6', '7b33ca878fa6264ad10088d6da05a4c2acfa4272f83df88ea9f38d808f824675', '{"id": "01a20133-3568-7070-b23a-098bee140e38", "type": "card", "title": "more 2", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -10, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:02.987Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-6", "updated_at": "2026-11-22T03:01:02.987Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.949+00', '2026-11-22 03:01:02.987+00'),
	('0199d000-0000-7000-8000-000000000001', 'c6de393a-3a48-8582-a07f-44f716aa1e10', '906347ba823632958a10229c1809c4f2b717f7cb1b9db8a7cb896a1cc0483d19', '{"id": "01a20133-3568-7070-b23a-1205510d7e3e", "type": "card", "title": "more 3", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -11, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:02.987Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-5", "updated_at": "2026-11-22T03:01:02.987Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.949+00', '2026-11-22 03:01:02.987+00'),
	('0199d000-0000-7000-8000-000000000001', '38d7cfde-37b8-8192-b5a7-789559e43b20', '421c44da231b930d23370cbee7aba02de36ce7e1da310b9316a97692135f4052', '{"id": "01a20133-3575-7702-902b-1d4deab9a3b5", "type": "card", "title": "more 7", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -15, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-7", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', '68900951-38dd-831e-bc5e-c3ecc5c3d66a', 'ab60244851b0f6f2fd3ac45aaebd5b13d5632663fbbdb5b838b581387145d795', '{"id": "01a20133-3575-7702-902b-063244dd8cda", "type": "card", "title": "more 4", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -12, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-7", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'efd43239-f612-8b88-b393-6f7b114ea3e3', '362db74cca90c706b88529eccfbf5f54d9cc6473e80bbdaf0fc949b573114e4e', '{"id": "01a20133-2f14-7137-b5ea-54b29180633e", "type": "card", "title": "stays", "version": 4, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -7, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:01.347Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-3", "updated_at": "2026-11-22T03:01:02.907Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 1, "subtask_total": 1, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.903+00', '2026-11-22 03:01:02.907+00'),
	('0199d000-0000-7000-8000-000000000001', 'cd3c8963-d1f1-8978-860c-20e8b16b4555', 'e132bdd300fe2b071a5105fa50cc2be2140ef8b4b15930d2ae45b498d8df130b', '{"id": "01a20133-3575-7702-902b-3f00d08eed58", "type": "card", "title": "more 11", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -19, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "FPAY-9", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "prefix": "FPAY"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'e86068db-ceb2-85e8-aee9-31547343bfc6', 'c31aef9800ed11b0a47044a0ffdfa0056042f5b0a7ee34f111bedac5c2af2d24', '{"id": "01a20133-3575-7702-902b-36e397b92062", "type": "card", "title": "more 10", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -18, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-10", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00'),
	('0199d000-0000-7000-8000-000000000001', 'ef47fb18-0bad-8063-927e-e41ae878171e', 'aaaff0c0c3dbff35b0c738c7c29cd0bfee5f249903d555ee01d87319db5f177d', '{"id": "01a20133-3575-7702-902b-27f8406a0f3d", "type": "card", "title": "more 8", "version": 1, "board_id": "01a20133-2e37-71ba-923c-28614d3d5994", "due_date": null, "position": -16, "priority": null, "column_id": "01a20133-2e63-779b-8e02-c1670f65d19f", "label_ids": [], "created_at": "2026-11-22T03:01:03.008Z", "created_by": "0199d000-0000-7000-8000-000000000002", "identifier": "MAIN-9", "updated_at": "2026-11-22T03:01:03.008Z", "workstream": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "prefix": "MAIN"}, "archived_at": null, "description": null, "completed_at": null, "comment_count": 0, "subtask_total": 0, "assignee_user_ids": [], "subtask_completed": 0}', '2026-11-22 03:01:02.963+00', '2026-11-22 03:01:03.008+00');
INSERT INTO card.comments VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20133-349a-7614-897d-23f2d0ec9ad3', 1, '01a20133-2f14-7137-b5ea-54b29180633e', 'why?', '0199d000-0000-7000-8000-000000000002', '2026-11-22 03:01:02.746+00', '2026-11-22 03:01:02.746+00');
INSERT INTO card.inbox VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6ca6-71b1-ac59-cc8634230005', 'workstream.changed', '2026-11-22 03:00:11.578+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6cc5-711c-afa3-8708ab4accd7', 'workstream.changed', '2026-11-22 03:00:11.595+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6ce0-7479-82f7-ede5d1acc65b', 'workstream.changed', '2026-11-22 03:00:11.623+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e75-7484-85fa-c11ab4fb908e', 'workstream.changed', '2026-11-22 03:01:01.179+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e91-7359-a49b-da6921716c31', 'workstream.changed', '2026-11-22 03:01:01.21+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2eba-76ff-942c-faf2676ce930', 'workstream.changed', '2026-11-22 03:01:01.251+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2eda-752f-a203-c313eb948eb8', 'workstream.changed', '2026-11-22 03:01:01.278+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-33bb-7737-8791-9721dd4bf70c', 'workstream.changed', '2026-11-22 03:01:02.532+00');
INSERT INTO card.kysely_migration VALUES
	('0001_cards', '2026-11-22T03:00:04.376Z'),
	('0002_collaboration', '2026-11-22T03:00:04.470Z'),
	('0003_dependencies', '2026-11-22T03:00:04.509Z'),
	('0004_linked_files', '2026-11-22T03:00:04.529Z');
INSERT INTO card.kysely_migration_lock VALUES
	('migration_lock', 0);
INSERT INTO card.labels VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20133-3473-7560-ada9-0739b2434475', 1, 'bug', '#1d76db', '2026-11-22 03:01:02.707+00', '2026-11-22 03:01:02.707+00');
INSERT INTO card.outbox VALUES
	('01a20132-6d66-7189-9456-d6810b9c803d', '0199d000-0000-7000-8000-000000000001', 'evt.card.created', '{"id": "01a20132-6d66-7189-9456-d6810b9c803d", "data": {"title": "Choose a name", "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "identifier": "WEB-1", "archived_at": null, "completed_at": null, "operation_id": "01a20132-6d4d-73d6-af97-944a169f710a", "workstream_id": "01a20132-6cc1-74c1-b511-9addba4680d1"}, "type": "card.created", "version": 1, "request_id": "1d224ab7-2cda-49a9-87ca-b28295c97c0f", "occurred_at": "2026-11-22T03:00:11.740Z", "aggregate_id": "01a20132-6d4d-73d6-af97-99cc89baa5ac", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.741+00', '2026-11-22 03:00:21.756+00', '2026-11-22 03:00:11.768+00'),
	('01a20132-6d8b-7338-bc59-1ec010cfb949', '0199d000-0000-7000-8000-000000000001', 'evt.card.created', '{"id": "01a20132-6d8b-7338-bc59-1ec010cfb949", "data": {"title": "Draw the front page", "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "identifier": "WEB-2", "archived_at": null, "completed_at": null, "operation_id": "01a20132-6d79-75ed-a18e-0c05b8413055", "workstream_id": "01a20132-6cc1-74c1-b511-9addba4680d1"}, "type": "card.created", "version": 1, "request_id": "346c22d3-f9a0-4b9e-9b92-dd1b425b15d6", "occurred_at": "2026-11-22T03:00:11.781Z", "aggregate_id": "01a20132-6d79-75ed-a18e-10d03ec6d08e", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.782+00', '2026-11-22 03:00:21.79+00', '2026-11-22 03:00:11.794+00'),
	('01a20132-6dac-7271-a8f3-1768955bf8ec', '0199d000-0000-7000-8000-000000000001', 'evt.card.created', '{"id": "01a20132-6dac-7271-a8f3-1768955bf8ec", "data": {"title": "Push notifications", "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "identifier": "WEB-3", "archived_at": null, "completed_at": null, "operation_id": "01a20132-6d98-768e-926e-7b37f5a674c0", "workstream_id": "01a20132-6cc1-74c1-b511-9addba4680d1"}, "type": "card.created", "version": 1, "request_id": "aad81a68-927c-4389-907d-bc7d0a0f5418", "occurred_at": "2026-11-22T03:00:11.815Z", "aggregate_id": "01a20132-6d98-768e-926e-7d3eceb3f223", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.815+00', '2026-11-22 03:00:21.824+00', '2026-11-22 03:00:11.836+00'),
	('01a20132-6dd1-726f-911a-a8a80d7df488', '0199d000-0000-7000-8000-000000000001', 'evt.card.created', '{"id": "01a20132-6dd1-726f-911a-a8a80d7df488", "data": {"title": "Sign in with a passkey", "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "identifier": "APP-1", "archived_at": null, "completed_at": null, "operation_id": "01a20132-6dc2-7441-b120-7d13c8533c81", "workstream_id": "01a20132-6cdc-75c7-9443-ed12e249d712"}, "type": "card.created", "version": 1, "request_id": "c111740c-bad4-492d-a5d9-0f8cf57f1beb", "occurred_at": "2026-11-22T03:00:11.851Z", "aggregate_id": "01a20132-6dc2-7441-b120-83e6ac9b3f35", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.851+00', '2026-11-22 03:00:21.863+00', '2026-11-22 03:00:11.873+00'),
	('01a20132-6e04-76e8-8130-0903bec3806b', '0199d000-0000-7000-8000-000000000001', 'evt.card.created', '{"id": "01a20132-6e04-76e8-8130-0903bec3806b", "data": {"title": "Order the cake", "board_id": "01a20132-6d01-7602-8926-c9c24ea2fe6c", "identifier": "MAIN-1", "archived_at": null, "completed_at": null, "operation_id": "01a20132-6de5-70fd-8ebf-3b42394c0549", "workstream_id": "01a20132-6ca4-77cd-868f-5491bcb8ff62"}, "type": "card.created", "version": 1, "request_id": "1cf5b1ff-7b67-4b66-b95a-00c2e7bbbb47", "occurred_at": "2026-11-22T03:00:11.902Z", "aggregate_id": "01a20132-6de6-756d-a702-8f26332af897", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.902+00', '2026-11-22 03:00:21.91+00', '2026-11-22 03:00:11.925+00');
INSERT INTO card.subtasks VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20133-34ea-75c5-a101-a83e87097ddc', 1, '01a20133-2f14-7137-b5ea-54b29180633e', 'step', NULL, 0, NULL, '2026-11-22 03:01:02.826+00', '2026-11-22 03:01:02.826+00', 0);
INSERT INTO card.workstreams VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6ca4-77cd-868f-5491bcb8ff62', 1, 'Main', 'MAIN'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6cc1-74c1-b511-9addba4680d1', 1, 'Website', 'WEB'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6cdc-75c7-9443-ed12e249d712', 1, 'Mobile app', 'APP'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e73-71cb-98fb-ec6660903485', 1, 'Payments', 'FPAY'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2eb0-73cb-83a9-9d253d94292d', 1, 'All gone', 'FGONE'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2ed7-71be-ae56-90ae6575e88d', 1, 'Never used', 'FNEW'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e8d-7455-9d5e-e5a30fb27158', 2, 'Old', 'FOLD');
ALTER TABLE ONLY card.board_members
    ADD CONSTRAINT board_members_pkey PRIMARY KEY (workspace_id, board_id, user_id);
ALTER TABLE ONLY card.boards
    ADD CONSTRAINT boards_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.card_dependencies
    ADD CONSTRAINT card_dependencies_pkey PRIMARY KEY (workspace_id, card_id, depends_on_card_id);
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_workspace_id_column_id_position_key UNIQUE (workspace_id, column_id, "position") DEFERRABLE;
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_workspace_id_identifier_key UNIQUE (workspace_id, identifier);
ALTER TABLE ONLY card.columns
    ADD CONSTRAINT columns_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.columns
    ADD CONSTRAINT columns_workspace_id_board_id_position_key UNIQUE (workspace_id, board_id, "position") DEFERRABLE;
ALTER TABLE ONLY card.commands
    ADD CONSTRAINT commands_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY card.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY card.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY card.labels
    ADD CONSTRAINT labels_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.operations
    ADD CONSTRAINT operations_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.operations
    ADD CONSTRAINT operations_workspace_id_command_id_key UNIQUE (workspace_id, command_id);
ALTER TABLE ONLY card.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY card.subtasks
    ADD CONSTRAINT subtasks_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY card.subtasks
    ADD CONSTRAINT subtasks_workspace_id_card_id_position_key UNIQUE (workspace_id, card_id, "position") DEFERRABLE;
ALTER TABLE ONLY card.workstreams
    ADD CONSTRAINT workstreams_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX card_dependents ON card.card_dependencies USING btree (workspace_id, depends_on_card_id);
CREATE INDEX commands_by_age ON card.commands USING btree (created_at);
CREATE INDEX comments_of_card ON card.comments USING btree (workspace_id, card_id, id);
CREATE INDEX inbox_by_age ON card.inbox USING btree (applied_at);
CREATE INDEX operations_by_age ON card.operations USING btree (created_at);
CREATE UNIQUE INDEX operations_one_pending_per_card ON card.operations USING btree (workspace_id, card_id) WHERE (state = 'pending'::text);
CREATE INDEX outbox_unpublished ON card.outbox USING btree (id) WHERE (published_at IS NULL);
ALTER TABLE ONLY card.board_members
    ADD CONSTRAINT board_members_workspace_id_board_id_fkey FOREIGN KEY (workspace_id, board_id) REFERENCES card.boards(workspace_id, id);
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_workspace_id_board_id_fkey FOREIGN KEY (workspace_id, board_id) REFERENCES card.boards(workspace_id, id);
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_workspace_id_column_id_fkey FOREIGN KEY (workspace_id, column_id) REFERENCES card.columns(workspace_id, id);
ALTER TABLE ONLY card.cards
    ADD CONSTRAINT cards_workspace_id_workstream_id_fkey FOREIGN KEY (workspace_id, workstream_id) REFERENCES card.workstreams(workspace_id, id);
ALTER TABLE ONLY card.columns
    ADD CONSTRAINT columns_workspace_id_board_id_fkey FOREIGN KEY (workspace_id, board_id) REFERENCES card.boards(workspace_id, id);
ALTER TABLE ONLY card.comments
    ADD CONSTRAINT comments_workspace_id_card_id_fkey FOREIGN KEY (workspace_id, card_id) REFERENCES card.cards(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY card.subtasks
    ADD CONSTRAINT subtasks_workspace_id_card_id_fkey FOREIGN KEY (workspace_id, card_id) REFERENCES card.cards(workspace_id, id) ON DELETE CASCADE;
