import type { confirm } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';

/** Marks the number of a committed operation as issued (architecture, "One commit point", 4). */
export const confirmHandler =
  ({ confirmations }: Parts): Handler<typeof confirm> =>
  (request) =>
    confirmations.submit(request);
