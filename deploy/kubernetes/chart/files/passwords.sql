-- Rendered from libs/contracts/src/services.ts: npx vitest run rendered -u writes it anew.
-- psql reads them from the environment of the server's container.
\getenv identifier IDENTIFIER_PASSWORD
\getenv card CARD_PASSWORD
\getenv dependency DEPENDENCY_PASSWORD
\getenv attachment ATTACHMENT_PASSWORD
\getenv event EVENT_PASSWORD
\getenv access ACCESS_PASSWORD
alter role cardinal_identifier password :'identifier';
alter role cardinal_card password :'card';
alter role cardinal_dependency password :'dependency';
alter role cardinal_attachment password :'attachment';
alter role cardinal_event password :'event';
alter role cardinal_access password :'access';
