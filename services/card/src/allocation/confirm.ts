import { type Confirmation, confirm as confirmContract } from '@cardinal/contracts';
import { coalesce, failpoint } from '@cardinal/runtime';
import { deleteConfirmed } from '../store/operations/delete-operations.ts';
import { inOwnContext } from './own-context.ts';
import type { Tools } from './tools.ts';

/** Step 4 of the protocol. */
export interface Confirming {
  /** Tells the identifier service that an operation committed; its reply ends what we keep of the operation. */
  confirm(confirmation: Confirmation): Promise<void>;
  /** The same while the writer is being answered. What fails is left to the sweeper. */
  inBackground(confirmations: readonly Confirmation[]): void;
  /** Resolves when nothing is under way in the background. */
  idle(): Promise<void>;
}

/** Sets up the confirmation of committed operations. */
export const createConfirming = ({ db, bus, logger }: Omit<Tools, 'relay'>): Confirming => {
  const underWay = new Set<Promise<void>>();

  const deletions = coalesce<Confirmation, undefined>({
    laneOf: (confirmation) => confirmation.workspace_id,
    run: async (confirmations) => {
      const workspaceId = confirmations[0]?.workspace_id ?? '';
      const ids = confirmations.map((confirmation) => confirmation.operation_id);
      await db.statement((tx) => deleteConfirmed(tx, workspaceId, ids));
      return confirmations.map(() => undefined);
    },
  });

  const confirm = async (confirmation: Confirmation): Promise<void> => {
    failpoint('before-confirm');
    await bus.call(confirmContract, confirmation);
    await deletions.submit(confirmation);
  };

  return {
    confirm,
    inBackground(confirmations) {
      for (const confirmation of confirmations) {
        const done = inOwnContext(() => confirm(confirmation))
          .catch((error) => logger.debug({ err: error, operation: confirmation.operation_id }, 'not confirmed yet'))
          .finally(() => underWay.delete(done));
        underWay.add(done);
      }
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
};
