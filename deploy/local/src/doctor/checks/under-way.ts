import { noRows, noRowsAnywhere } from './kinds.ts';

const old = `now() - interval '1 minute'`;

/** What ends within seconds where everything works. */
export const underWay = [
  noRows(
    'no identifier is on its way to the ledger for longer than a minute',
    'card',
    `select workspace_id || '/' || identifier || ' of card ' || card_id || ' is unrecorded since ' || assigned_at as what
      from card.issued where recorded_at is null and assigned_at < ${old}`,
  ),
  noRows(
    'no archive of a workstream is left half done',
    'identifier',
    `select 'workstream ' || workspace_id || '/' || id || ' is being archived' as what
      from identifier.workstreams where closing is not null`,
  ),
  noRowsAnywhere(
    'no event is unpublished for longer than a minute',
    'outbox',
    `select 'event ' || id || ' (' || subject || ') is unpublished since ' || created_at as what
      from {schema}.outbox where published_at is null and created_at < ${old}`,
  ),
];
