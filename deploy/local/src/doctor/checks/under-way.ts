import { noRows, noRowsAnywhere } from './kinds.ts';

const old = `now() - interval '1 minute'`;

/** What ends within seconds where everything works. */
export const underWay = [
  noRows(
    'no operation is older than a minute',
    'card',
    `select 'operation ' || id || ' of card ' || card_id || ' is ' || state || ' since ' || created_at as what
      from card.operations where created_at < ${old}`,
  ),
  noRows(
    'no number is pending for longer than a minute',
    'identifier',
    `select workspace_id || '/' || prefix || '-' || number || ' is pending since ' || created_at as what
      from identifier.identifiers where state = 'pending' and created_at < ${old}`,
  ),
  noRowsAnywhere(
    'no event is unpublished for longer than a minute',
    'outbox',
    `select 'event ' || id || ' (' || subject || ') is unpublished since ' || created_at as what
      from {schema}.outbox where published_at is null and created_at < ${old}`,
  ),
];
