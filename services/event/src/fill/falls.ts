import type { ServiceContext } from '../context.ts';
import type { Falls } from './round.ts';

/** What the log does where a database fell back (ADR 0066). */
export const createFalls = ({ logger }: Pick<ServiceContext, 'logger'>): Falls => ({
  ensureThrough: async () => {},
  mend: async ({ log, owners }) => {
    logger.error(
      { workspace_id: log.workspace_id, owners },
      'a feed does not follow the log; it is not filled any more',
    );
    return false;
  },
});
