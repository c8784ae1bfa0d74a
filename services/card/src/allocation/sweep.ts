import { listOperations } from '../store/operations/list-operations.ts';
import type { Operation } from '../store/operations/operation.ts';
import type { Confirming } from './confirm.ts';
import type { Drive } from './drive.ts';
import type { Tools } from './tools.ts';

const pageSize = 100;

/** Sets up the sweeper's round: every operation begun longer ago than `staleMs` goes on from where it stands. */
export const createSweep =
  ({ db, logger }: Pick<Tools, 'db' | 'logger'>, drive: Drive, confirming: Confirming, staleMs: number) =>
  async (): Promise<void> => {
    const begunBefore = new Date(Date.now() - staleMs);
    let last: Operation | undefined;
    do {
      const page = await db.read((tx) => listOperations(tx, begunBefore, pageSize, last));
      const results = await Promise.allSettled(page.map(finish));
      const failures = results.filter((result) => result.status === 'rejected');
      if (failures.length > 0) {
        logger.warn({ err: failures[0]?.reason, failed: failures.length }, 'some operations could not be ended yet');
      }
      last = page.length === pageSize ? page.at(-1) : undefined;
    } while (last);

    async function finish(operation: Operation): Promise<void> {
      const { workspace_id, id: operation_id, card_version, assigned_at } = operation;
      if (card_version === null || assigned_at === null) await drive(operation);
      else
        await confirming.confirm({ workspace_id, operation_id, card_version, assigned_at: assigned_at.toISOString() });
    }
  };
