import { countUpTo, type SqlGauge } from '@cardinal/db';
import { sql } from 'kysely';

/** What the log has to say of itself. For `sqlGauges`. */
export const logGauges = {
  // From the table, since a process that counts would begin anew right when it matters.
  cardinal_log_resets: {
    help: 'Events feed.reset in the logs that are kept: a database fell back, and followers read anew; up to 10,000',
    value: countUpTo(sql`select 1 from events where type = 'feed.reset'`),
  },
} satisfies Record<string, SqlGauge>;
