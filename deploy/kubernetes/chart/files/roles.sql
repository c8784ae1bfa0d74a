-- Lines between `rendered` and `end` follow from libs/contracts/src/services.ts: npx vitest run rendered -u writes them.
-- A role and a schema for each service, which no other service's role can read, and what one may take at most.
-- For a superuser in the database of the services, once; what `npm start` makes is the same (a test compares them).
-- Passwords are set apart from this.
create extension if not exists pg_trgm schema public;
revoke create on schema public from public;

-- rendered: roles
create role cardinal_identifier login;
alter role cardinal_identifier set search_path = identifier;
alter role cardinal_identifier set lock_timeout = '2s';
alter role cardinal_identifier set statement_timeout = '10s';
alter role cardinal_identifier set idle_in_transaction_session_timeout = '10s';
create schema identifier authorization cardinal_identifier;

create role cardinal_card login;
alter role cardinal_card set search_path = card;
alter role cardinal_card set lock_timeout = '2s';
alter role cardinal_card set statement_timeout = '10s';
alter role cardinal_card set idle_in_transaction_session_timeout = '10s';
create schema card authorization cardinal_card;

create role cardinal_dependency login;
alter role cardinal_dependency set search_path = dependency;
alter role cardinal_dependency set lock_timeout = '2s';
alter role cardinal_dependency set statement_timeout = '10s';
alter role cardinal_dependency set idle_in_transaction_session_timeout = '10s';
create schema dependency authorization cardinal_dependency;

create role cardinal_attachment login;
alter role cardinal_attachment set search_path = attachment;
alter role cardinal_attachment set lock_timeout = '2s';
alter role cardinal_attachment set statement_timeout = '10s';
alter role cardinal_attachment set idle_in_transaction_session_timeout = '10s';
create schema attachment authorization cardinal_attachment;

create role cardinal_event login;
alter role cardinal_event set search_path = event;
alter role cardinal_event set lock_timeout = '2s';
alter role cardinal_event set statement_timeout = '10s';
alter role cardinal_event set idle_in_transaction_session_timeout = '10s';
create schema event authorization cardinal_event;

create role cardinal_access login;
alter role cardinal_access set search_path = access;
alter role cardinal_access set lock_timeout = '2s';
alter role cardinal_access set statement_timeout = '10s';
alter role cardinal_access set idle_in_transaction_session_timeout = '10s';
create schema access authorization cardinal_access;
-- end of roles
