import type { settleOperation as contract } from '@cardinal/contracts';
import type { z } from 'zod';
import { findOperation } from '../store/operations/find-operation.ts';
import type { Drive } from './drive.ts';
import type { Tools } from './tools.ts';

/** Answers what became of an operation, after driving a pending one to its end. */
export type Settle = (request: z.output<typeof contract.request>) => Promise<z.output<typeof contract.reply>>;

/** Sets up the answer to the identifier service's question about a number that it holds as pending. */
export const createSettle =
  ({ db }: Pick<Tools, 'db'>, drive: Drive): Settle =>
  async ({ workspace_id, operation_id }) => {
    const find = () => db.read((tx) => findOperation(tx, workspace_id, { id: operation_id }));
    let operation = await find();
    if (operation?.state === 'pending') {
      await drive(operation);
      operation = await find();
    }
    return operation?.card_version && operation.assigned_at
      ? { result: 'committed', card_version: operation.card_version, assigned_at: operation.assigned_at.toISOString() }
      : { result: 'unknown' };
  };
