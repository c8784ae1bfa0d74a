import { type Confirming, createConfirming } from './confirm.ts';
import { createDrive, type Drive } from './drive.ts';
import { createHelping, type Helping } from './help.ts';
import { createSettle, type Settle } from './settle.ts';
import { createSweep } from './sweep.ts';
import type { Tools } from './tools.ts';

/** The card service's side of the allocation protocol (architecture, "One commit point"). */
export interface Allocation {
  drive: Drive;
  helping: Helping;
  settle: Settle;
  /** One round of the sweeper. */
  sweep: () => Promise<void>;
  /** Resolves when no confirmation is under way. */
  idle: Confirming['idle'];
}

/**
 * Sets the protocol up.
 * @param staleMs age from which the sweeper takes an operation for abandoned, ms
 */
export const createAllocation = (tools: Tools, staleMs: number): Allocation => {
  const confirming = createConfirming(tools);
  const drive = createDrive(tools, confirming);
  return {
    drive,
    helping: createHelping(tools, drive),
    settle: createSettle(tools, drive),
    sweep: createSweep(tools, drive, confirming, staleMs),
    idle: confirming.idle,
  };
};
