import { sql } from 'kysely';
import { atMost } from '../sql-gauges.ts';

/** What consumers gave up on. For `sqlGauges`. */
export const deadLetterGauges = {
  cardinal_dead_letters: {
    help: 'Events that a consumer gave up on and that nobody has dealt with, counted up to 10,000',
    value: atMost(sql`select 1 from dead_letters`),
  },
};
