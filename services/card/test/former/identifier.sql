CREATE TABLE identifier.commands (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    fingerprint text NOT NULL,
    response jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone
)
WITH (fillfactor='60');
CREATE TABLE identifier.dead_letters (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event json NOT NULL,
    error text NOT NULL,
    failed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE identifier.identifiers (
    workspace_id uuid NOT NULL,
    prefix text NOT NULL,
    number bigint NOT NULL,
    workstream_id uuid NOT NULL,
    card_id uuid NOT NULL,
    operation_id uuid NOT NULL,
    state text NOT NULL,
    assigned_by uuid NOT NULL,
    card_version integer,
    assigned_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT identifiers_check CHECK (((state = 'issued'::text) = ((card_version IS NOT NULL) AND (assigned_at IS NOT NULL)))),
    CONSTRAINT identifiers_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'issued'::text])))
);
CREATE TABLE identifier.inbox (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    applied_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE identifier.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE identifier.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE identifier.outbox (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    subject text NOT NULL,
    event jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    leased_until timestamp(3) with time zone,
    published_at timestamp(3) with time zone
)
WITH (fillfactor='60');
CREATE TABLE identifier.refusals (
    workspace_id uuid NOT NULL,
    operation_id uuid NOT NULL,
    reason text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT refusals_reason_check CHECK ((reason = ANY (ARRAY['not_found'::text, 'archived'::text])))
);
CREATE TABLE identifier.workstreams (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    description text,
    is_default boolean NOT NULL,
    last_number bigint DEFAULT 0 NOT NULL,
    archived_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
)
WITH (fillfactor='50');
INSERT INTO identifier.commands VALUES
	('0199d000-0000-7000-8000-000000000001', '74fcf586-0bd2-88d6-9fce-ab3bacb3133b', '78807e8d63cae0fa9657ee21899becb72408c983e025a1fd087fc425c62207a7', '{"id": "01a20132-6cc1-74c1-b511-9addba4680d1", "name": "Website", "type": "workstream", "prefix": "WEB", "version": 1, "created_at": "2026-11-22T03:00:11.585Z", "is_default": false, "updated_at": "2026-11-22T03:00:11.585Z", "archived_at": null, "description": null}', '2026-11-22 03:00:11.585+00', '2026-11-22 03:00:11.585+00'),
	('0199d000-0000-7000-8000-000000000001', '946dc722-f73b-8ed0-8023-afae372b7442', '9d9de60cb593627ee04ac91c6d49454bcabb959f2d49290cde536edc22b11f2a', '{"id": "01a20132-6cdc-75c7-9443-ed12e249d712", "name": "Mobile app", "type": "workstream", "prefix": "APP", "version": 1, "created_at": "2026-11-22T03:00:11.612Z", "is_default": false, "updated_at": "2026-11-22T03:00:11.612Z", "archived_at": null, "description": null}', '2026-11-22 03:00:11.612+00', '2026-11-22 03:00:11.612+00'),
	('0199d000-0000-7000-8000-000000000001', '24852b47-cb0c-8d78-a79b-a2e6931fe20b', '16866ef3c7a7c34712d02c86d232f725bc320879a4500b59293c98b976c7f0e0', '{"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "type": "workstream", "prefix": "FPAY", "version": 1, "created_at": "2026-11-22T03:01:01.171Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.171Z", "archived_at": null, "description": null}', '2026-11-22 03:01:01.171+00', '2026-11-22 03:01:01.171+00'),
	('0199d000-0000-7000-8000-000000000001', '98ac4bdc-1841-8faa-b547-39b4e2166800', '7d6b9dce238c900ddcca76ee8698105ba97a6c8c6a0c08233b718f893094689a', '{"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "type": "workstream", "prefix": "FOLD", "version": 1, "created_at": "2026-11-22T03:01:01.197Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.197Z", "archived_at": null, "description": null}', '2026-11-22 03:01:01.197+00', '2026-11-22 03:01:01.197+00'),
	('0199d000-0000-7000-8000-000000000001', '32ee26a6-7726-8bcd-82c9-2a9dc0ea4b91', '668ffb3b0d7c3aac7f51ed2b91fd1681010782632c2660b7559a1ee5d42eee53', '{"id": "01a20133-2eb0-73cb-83a9-9d253d94292d", "name": "All gone", "type": "workstream", "prefix": "FGONE", "version": 1, "created_at": "2026-11-22T03:01:01.232Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.232Z", "archived_at": null, "description": null}', '2026-11-22 03:01:01.232+00', '2026-11-22 03:01:01.232+00'),
	('0199d000-0000-7000-8000-000000000001', '02bf0841-8da2-8e13-a71b-23fc714d2a80', '2b452e54de9dd36aedda1b7a0b5cd3895e2e41a1d6ba0e4886d9a09b3825b60d', '{"id": "01a20133-2ed7-71be-ae56-90ae6575e88d", "name": "Never used", "type": "workstream", "prefix": "FNEW", "version": 1, "created_at": "2026-11-22T03:01:01.271Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.271Z", "archived_at": null, "description": null}', '2026-11-22 03:01:01.271+00', '2026-11-22 03:01:01.271+00'),
	('0199d000-0000-7000-8000-000000000001', '4d421cea-3c38-8eb1-ad89-ad5c4b127f11', 'db89875aacc5be24f305905fc6981a07c2fb9c819c6e4a7a63287668e304db1d', '{"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "type": "workstream", "prefix": "FOLD", "version": 2, "created_at": "2026-11-22T03:01:01.197Z", "is_default": false, "updated_at": "2026-11-22T03:01:02.508Z", "archived_at": "2026-11-22T03:01:02.508Z", "description": null}', '2026-11-22 03:01:02.508+00', '2026-11-22 03:01:02.508+00');
INSERT INTO identifier.identifiers VALUES
	('0199d000-0000-7000-8000-000000000001', 'WEB', 1, '01a20132-6cc1-74c1-b511-9addba4680d1', '01a20132-6d4d-73d6-af97-99cc89baa5ac', '01a20132-6d4d-73d6-af97-944a169f710a', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:00:11.74+00', '2026-11-22 03:00:11.731+00'),
	('0199d000-0000-7000-8000-000000000001', 'WEB', 2, '01a20132-6cc1-74c1-b511-9addba4680d1', '01a20132-6d79-75ed-a18e-10d03ec6d08e', '01a20132-6d79-75ed-a18e-0c05b8413055', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:00:11.781+00', '2026-11-22 03:00:11.773+00'),
	('0199d000-0000-7000-8000-000000000001', 'WEB', 3, '01a20132-6cc1-74c1-b511-9addba4680d1', '01a20132-6d98-768e-926e-7d3eceb3f223', '01a20132-6d98-768e-926e-7b37f5a674c0', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:00:11.815+00', '2026-11-22 03:00:11.804+00'),
	('0199d000-0000-7000-8000-000000000001', 'APP', 1, '01a20132-6cdc-75c7-9443-ed12e249d712', '01a20132-6dc2-7441-b120-83e6ac9b3f35', '01a20132-6dc2-7441-b120-7d13c8533c81', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:00:11.851+00', '2026-11-22 03:00:11.845+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 1, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20132-6de6-756d-a702-8f26332af897', '01a20132-6de5-70fd-8ebf-3b42394c0549', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:00:11.902+00', '2026-11-22 03:00:11.881+00'),
	('0199d000-0000-7000-8000-000000000001', 'APP', 2, '01a20132-6cdc-75c7-9443-ed12e249d712', '01a20132-6d98-768e-926e-7d3eceb3f223', '01a20132-6e24-73a4-8e07-9bd96183a5a3', 'issued', '0199d000-0000-7000-8000-000000000002', 2, '2026-11-22 03:00:11.948+00', '2026-11-22 03:00:11.943+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 2, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-2ef5-71ac-afa2-5b4a60167c87', '01a20133-2ef5-71ac-afa2-560887e64954', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.309+00', '2026-11-22 03:01:01.305+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 3, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-2f14-7137-b5ea-54b29180633e', '01a20133-2f14-7137-b5ea-50aaf8eeb1e5', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.347+00', '2026-11-22 03:01:01.342+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 4, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-2f3a-712b-9c86-2b5f70812c7f', '01a20133-2f3a-712b-9c86-24aad807ec60', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.388+00', '2026-11-22 03:01:01.374+00'),
	('0199d000-0000-7000-8000-000000000001', 'FOLD', 1, '01a20133-2e8d-7455-9d5e-e5a30fb27158', '01a20133-2f68-76a1-a8d7-5467d0a23142', '01a20133-2f68-76a1-a8d7-51787c6dd47d', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.432+00', '2026-11-22 03:01:01.42+00'),
	('0199d000-0000-7000-8000-000000000001', 'FOLD', 2, '01a20133-2e8d-7455-9d5e-e5a30fb27158', '01a20133-2f9d-7041-ad39-0e5bb9b3b46f', '01a20133-2f9d-7041-ad39-080ff9cf03f4', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.495+00', '2026-11-22 03:01:01.481+00'),
	('0199d000-0000-7000-8000-000000000001', 'FGONE', 1, '01a20133-2eb0-73cb-83a9-9d253d94292d', '01a20133-2fde-73db-a741-9c04960cab90', '01a20133-2fde-73db-a741-9a857e5a9165', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:01.554+00', '2026-11-22 03:01:01.539+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 1, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-2ef5-71ac-afa2-5b4a60167c87', '01a20133-3024-72d3-ba67-d6e326702a55', 'issued', '0199d000-0000-7000-8000-000000000002', 2, '2026-11-22 03:01:01.715+00', '2026-11-22 03:01:01.636+00'),
	('0199d000-0000-7000-8000-000000000001', 'FOLD', 3, '01a20133-2e8d-7455-9d5e-e5a30fb27158', '01a20133-2ef5-71ac-afa2-5b4a60167c87', '01a20133-31f3-73f0-8a6b-4379ccc2d9d8', 'issued', '0199d000-0000-7000-8000-000000000002', 3, '2026-11-22 03:01:02.091+00', '2026-11-22 03:01:02.085+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 2, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-2ef5-71ac-afa2-5b4a60167c87', '01a20133-3296-73ed-ad1c-b6eeea0bf21a', 'issued', '0199d000-0000-7000-8000-000000000002', 5, '2026-11-22 03:01:02.247+00', '2026-11-22 03:01:02.236+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 3, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3433-7565-b4b5-e27a9a3e6ee1', '01a20133-3433-7565-b4b5-df7700efbdeb', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:02.653+00', '2026-11-22 03:01:02.646+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 5, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3553-739d-9f18-84f9cb3d90c5', '01a20133-3553-739d-9f18-80579fa97a7f', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:02.952+00', '2026-11-22 03:01:02.939+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 4, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-355c-779d-822d-76cbcaf7cf47', '01a20133-355c-779d-822d-7041db6a92e2', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:02.967+00', '2026-11-22 03:01:02.951+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 6, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3568-7070-b23a-098bee140e38', '01a20133-3568-7070-b23a-07ad8dd84cfb', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:02.987+00', '2026-11-22 03:01:02.964+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 5, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3568-7070-b23a-1205510d7e3e', '01a20133-3568-7070-b23a-0e4625b99934', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:02.987+00', '2026-11-22 03:01:02.964+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 7, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3575-7702-902b-063244dd8cda', '01a20133-3575-7702-902b-0197cbed34d5', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 6, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3575-7702-902b-0d98d1593932', '01a20133-3575-7702-902b-090c5bcfba42', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 8, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3575-7702-902b-145eebab860b', '01a20133-3575-7702-902b-1076e8b5b3f6', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 7, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3575-7702-902b-1d4deab9a3b5', '01a20133-3575-7702-902b-189f5f2e8566', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 9, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3575-7702-902b-27f8406a0f3d', '01a20133-3575-7702-902b-20649fce2d9a', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 8, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3575-7702-902b-2c695f10a60b', '01a20133-3575-7702-902b-2a4c2b9c82e6', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'MAIN', 10, '01a20132-6ca4-77cd-868f-5491bcb8ff62', '01a20133-3575-7702-902b-36e397b92062', '01a20133-3575-7702-902b-309d6f0bd7be', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00'),
	('0199d000-0000-7000-8000-000000000001', 'FPAY', 9, '01a20133-2e73-71cb-98fb-ec6660903485', '01a20133-3575-7702-902b-3f00d08eed58', '01a20133-3575-7702-902b-3a57f82edd22', 'issued', '0199d000-0000-7000-8000-000000000002', 1, '2026-11-22 03:01:03.008+00', '2026-11-22 03:01:02.981+00');
INSERT INTO identifier.kysely_migration VALUES
	('0001_identifiers', '2026-11-22T03:00:04.793Z');
INSERT INTO identifier.kysely_migration_lock VALUES
	('migration_lock', 0);
INSERT INTO identifier.outbox VALUES
	('01a20132-6ca6-71b1-ac59-cc8634230005', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20132-6ca6-71b1-ac59-cc8634230005", "data": {"id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "name": "Main", "type": "workstream", "prefix": "MAIN", "version": 1, "created_at": "2026-11-22T03:00:11.553Z", "is_default": true, "updated_at": "2026-11-22T03:00:11.553Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "6f16c92f-79c7-449b-b8e9-9a6ba289c657", "occurred_at": "2026-11-22T03:00:11.553Z", "aggregate_id": "01a20132-6ca4-77cd-868f-5491bcb8ff62", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.555+00', '2026-11-22 03:00:21.565+00', '2026-11-22 03:00:11.57+00'),
	('01a20132-6cc5-711c-afa3-8708ab4accd7', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20132-6cc5-711c-afa3-8708ab4accd7", "data": {"id": "01a20132-6cc1-74c1-b511-9addba4680d1", "name": "Website", "type": "workstream", "prefix": "WEB", "version": 1, "created_at": "2026-11-22T03:00:11.585Z", "is_default": false, "updated_at": "2026-11-22T03:00:11.585Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "6f16c92f-79c7-449b-b8e9-9a6ba289c657", "occurred_at": "2026-11-22T03:00:11.585Z", "aggregate_id": "01a20132-6cc1-74c1-b511-9addba4680d1", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.586+00', '2026-11-22 03:00:21.593+00', '2026-11-22 03:00:11.6+00'),
	('01a20132-6ce0-7479-82f7-ede5d1acc65b', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20132-6ce0-7479-82f7-ede5d1acc65b", "data": {"id": "01a20132-6cdc-75c7-9443-ed12e249d712", "name": "Mobile app", "type": "workstream", "prefix": "APP", "version": 1, "created_at": "2026-11-22T03:00:11.612Z", "is_default": false, "updated_at": "2026-11-22T03:00:11.612Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "c137734b-a6ef-4e34-a68d-52d77e51fa08", "occurred_at": "2026-11-22T03:00:11.612Z", "aggregate_id": "01a20132-6cdc-75c7-9443-ed12e249d712", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:00:11.613+00', '2026-11-22 03:00:21.62+00', '2026-11-22 03:00:11.623+00'),
	('01a20133-2eba-76ff-942c-faf2676ce930', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20133-2eba-76ff-942c-faf2676ce930", "data": {"id": "01a20133-2eb0-73cb-83a9-9d253d94292d", "name": "All gone", "type": "workstream", "prefix": "FGONE", "version": 1, "created_at": "2026-11-22T03:01:01.232Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.232Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "fa0bb46b-44fc-49b3-9584-5d415bcc0c35", "occurred_at": "2026-11-22T03:01:01.232Z", "aggregate_id": "01a20133-2eb0-73cb-83a9-9d253d94292d", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:01:01.233+00', '2026-11-22 03:01:11.251+00', '2026-11-22 03:01:01.257+00'),
	('01a20133-2e75-7484-85fa-c11ab4fb908e', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20133-2e75-7484-85fa-c11ab4fb908e", "data": {"id": "01a20133-2e73-71cb-98fb-ec6660903485", "name": "Payments", "type": "workstream", "prefix": "FPAY", "version": 1, "created_at": "2026-11-22T03:01:01.171Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.171Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "e4d07431-6034-4f7f-a97d-f7ac23d843bd", "occurred_at": "2026-11-22T03:01:01.171Z", "aggregate_id": "01a20133-2e73-71cb-98fb-ec6660903485", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:01:01.172+00', '2026-11-22 03:01:11.18+00', '2026-11-22 03:01:01.189+00'),
	('01a20133-2e91-7359-a49b-da6921716c31', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20133-2e91-7359-a49b-da6921716c31", "data": {"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "type": "workstream", "prefix": "FOLD", "version": 1, "created_at": "2026-11-22T03:01:01.197Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.197Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "35235c6a-0da2-479b-9b21-15d5aa9423aa", "occurred_at": "2026-11-22T03:01:01.197Z", "aggregate_id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:01:01.198+00', '2026-11-22 03:01:11.21+00', '2026-11-22 03:01:01.218+00'),
	('01a20133-2eda-752f-a203-c313eb948eb8', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20133-2eda-752f-a203-c313eb948eb8", "data": {"id": "01a20133-2ed7-71be-ae56-90ae6575e88d", "name": "Never used", "type": "workstream", "prefix": "FNEW", "version": 1, "created_at": "2026-11-22T03:01:01.271Z", "is_default": false, "updated_at": "2026-11-22T03:01:01.271Z", "archived_at": null, "description": null}, "type": "workstream.changed", "version": 1, "request_id": "5f1b78b4-da52-4014-9f70-14cea5c4819a", "occurred_at": "2026-11-22T03:01:01.271Z", "aggregate_id": "01a20133-2ed7-71be-ae56-90ae6575e88d", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 1}', '2026-11-22 03:01:01.272+00', '2026-11-22 03:01:11.278+00', '2026-11-22 03:01:01.284+00'),
	('01a20133-33bb-7737-8791-9721dd4bf70c', '0199d000-0000-7000-8000-000000000001', 'evt.workstream.changed', '{"id": "01a20133-33bb-7737-8791-9721dd4bf70c", "data": {"id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "name": "Old", "type": "workstream", "prefix": "FOLD", "version": 2, "created_at": "2026-11-22T03:01:01.197Z", "is_default": false, "updated_at": "2026-11-22T03:01:02.508Z", "archived_at": "2026-11-22T03:01:02.508Z", "description": null}, "type": "workstream.changed", "version": 1, "request_id": "f7b0d2d2-5ba2-4958-ab49-cc1e788b4618", "occurred_at": "2026-11-22T03:01:02.508Z", "aggregate_id": "01a20133-2e8d-7455-9d5e-e5a30fb27158", "workspace_id": "0199d000-0000-7000-8000-000000000001", "aggregate_version": 2}', '2026-11-22 03:01:02.512+00', '2026-11-22 03:01:12.535+00', '2026-11-22 03:01:02.543+00');
INSERT INTO identifier.workstreams VALUES
	('0199d000-0000-7000-8000-000000000001', '01a20132-6cc1-74c1-b511-9addba4680d1', 1, 'Website', 'WEB', NULL, false, 3, NULL, '2026-11-22 03:00:11.585+00', '2026-11-22 03:00:11.585+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6cdc-75c7-9443-ed12e249d712', 1, 'Mobile app', 'APP', NULL, false, 2, NULL, '2026-11-22 03:00:11.612+00', '2026-11-22 03:00:11.612+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2ed7-71be-ae56-90ae6575e88d', 1, 'Never used', 'FNEW', NULL, false, 0, NULL, '2026-11-22 03:01:01.271+00', '2026-11-22 03:01:01.271+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2eb0-73cb-83a9-9d253d94292d', 1, 'All gone', 'FGONE', NULL, false, 1, NULL, '2026-11-22 03:01:01.232+00', '2026-11-22 03:01:01.232+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e8d-7455-9d5e-e5a30fb27158', 2, 'Old', 'FOLD', NULL, false, 3, '2026-11-22 03:01:02.508+00', '2026-11-22 03:01:01.197+00', '2026-11-22 03:01:02.508+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20132-6ca4-77cd-868f-5491bcb8ff62', 1, 'Main', 'MAIN', NULL, true, 10, NULL, '2026-11-22 03:00:11.553+00', '2026-11-22 03:00:11.553+00'),
	('0199d000-0000-7000-8000-000000000001', '01a20133-2e73-71cb-98fb-ec6660903485', 1, 'Payments', 'FPAY', NULL, false, 9, NULL, '2026-11-22 03:01:01.171+00', '2026-11-22 03:01:01.171+00');
ALTER TABLE ONLY identifier.commands
    ADD CONSTRAINT commands_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY identifier.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY identifier.identifiers
    ADD CONSTRAINT identifiers_pkey PRIMARY KEY (workspace_id, prefix, number);
ALTER TABLE ONLY identifier.identifiers
    ADD CONSTRAINT identifiers_workspace_id_operation_id_key UNIQUE (workspace_id, operation_id);
ALTER TABLE ONLY identifier.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY identifier.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY identifier.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY identifier.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY identifier.refusals
    ADD CONSTRAINT refusals_pkey PRIMARY KEY (workspace_id, operation_id);
ALTER TABLE ONLY identifier.workstreams
    ADD CONSTRAINT workstreams_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY identifier.workstreams
    ADD CONSTRAINT workstreams_workspace_id_prefix_key UNIQUE (workspace_id, prefix);
CREATE INDEX commands_by_age ON identifier.commands USING btree (created_at);
CREATE INDEX identifiers_of_card ON identifier.identifiers USING btree (workspace_id, card_id);
CREATE INDEX identifiers_pending ON identifier.identifiers USING btree (created_at, operation_id) WHERE (state = 'pending'::text);
CREATE INDEX inbox_by_age ON identifier.inbox USING btree (applied_at);
CREATE INDEX outbox_unpublished ON identifier.outbox USING btree (id) WHERE (published_at IS NULL);
CREATE INDEX refusals_by_age ON identifier.refusals USING btree (created_at);
CREATE INDEX workstreams_by_age ON identifier.workstreams USING btree (workspace_id, created_at, id);
CREATE UNIQUE INDEX workstreams_one_default ON identifier.workstreams USING btree (workspace_id) WHERE is_default;
