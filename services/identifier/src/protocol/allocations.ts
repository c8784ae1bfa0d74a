import type { Allocation } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { type Coalescer, coalesce, failpoint } from '@cardinal/runtime';
import { type AllocationRequest, planAllocations } from '../domain/allocation.ts';
import { findAnswered } from '../store/find-answered.ts';
import { insertNumbers } from '../store/insert-numbers.ts';
import { insertRefusals } from '../store/insert-refusals.ts';
import { lockCounters } from '../store/lock-counters.ts';
import type { DB } from '../store/tables.gen.ts';

export type Allocations = Coalescer<AllocationRequest, Allocation>;

/** Workspaces share few lanes, so that a workspace whose counter is held up delays some others, not all. */
const lanes = 4;

/**
 * Step 2 of the allocation protocol, coalesced: operations that arrive while a transaction is under way form the next
 * one.
 */
export const createAllocations = ({ db, now }: { db: Database<DB>; now: () => Date }): Allocations =>
  coalesce({
    laneOf: ({ workspace_id }) => Number.parseInt(workspace_id.slice(-2), 16) % lanes,
    run: (requests) => allocateBatch(db, requests, now()),
  });

/**
 * One operation gets one number, also where two instances handle it at the same moment: an operation names the same
 * candidates however often it is sent, so both transactions ask for the same row locks first. Whoever waits looks for
 * answers only after it got them, in a statement of its own and so with a snapshot that shows what the other one
 * committed. Where no candidate exists there is nothing to lock, and nothing but the same refusal to write. The unique
 * index on the operation is the net under this: a second number fails its batch, whose members are then tried alone.
 */
const allocateBatch = async (
  db: Database<DB>,
  requests: AllocationRequest[],
  now: Date,
): Promise<(Allocation | Error)[]> => {
  const answers = await db.transaction(async (tx) => {
    const counters = await lockCounters(tx, requests);
    const answered = await findAnswered(tx, requests);
    const plan = planAllocations(requests, counters, answered);
    if (plan.numbers.length > 0) await insertNumbers(tx, plan.counters, plan.numbers, now);
    if (plan.refusals.length > 0) await insertRefusals(tx, plan.refusals, now);
    failpoint('before-allocation-commit');
    return plan.answers;
  });
  failpoint('after-allocation-commit');
  return answers;
};
