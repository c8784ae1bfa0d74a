import type { Bus } from '@cardinal/bus';
import { settleOperation } from '@cardinal/contracts';
import type { Confirmations } from './confirmations.ts';

/**
 * Asks the card service what became of the operation of a pending number, and confirms the number where it committed.
 * @returns whether the card service knew it; one that it does not know was confirmed meanwhile, or never was
 * @throws CardinalError `unavailable` where the card service cannot tell now
 */
export const settle = async (
  { bus, confirmations }: { bus: Bus; confirmations: Confirmations },
  { workspace_id, operation_id }: { workspace_id: string; operation_id: string },
): Promise<boolean> => {
  const outcome = await bus.call(settleOperation, { workspace_id, operation_id });
  if (outcome.result === 'unknown') return false;
  const { card_version, assigned_at } = outcome;
  await confirmations.submit({ workspace_id, operation_id, card_version, assigned_at });
  return true;
};
