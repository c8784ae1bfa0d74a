import type { settleOperation as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';

/** Tells the identifier service what became of a number that it holds as pending. */
export const settleOperation =
  ({ allocation }: Parts): Handler<typeof contract> =>
  (request) =>
    allocation.settle(request);
