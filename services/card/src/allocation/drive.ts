import { type Card, type CardinalError, allocate as contract } from '@cardinal/contracts';
import { coalesce, failpoint } from '@cardinal/runtime';
import type { Operation } from '../store/operations/operation.ts';
import type { Allocated } from './allocated.ts';
import { commit } from './commit.ts';
import type { Confirming } from './confirm.ts';
import { inOwnContext } from './own-context.ts';
import { refuse } from './refuse.ts';
import type { Tools } from './tools.ts';

/** How an operation ended: with a card, or refused by the identifier service with nothing changed. */
type Ended = { card: Card } | { refusal: CardinalError };

/**
 * Brings a pending operation to its end, however often it is asked to and wherever it stands; throws `unavailable` where
 * it cannot now, and the operation stays pending.
 */
export type Drive = (operation: Operation) => Promise<Ended>;

/** Sets up steps 2 and 3 of the protocol. Numbers are asked for, and commits made, for all that arrive together. */
export const createDrive = (tools: Tools, confirming: Confirming): Drive => {
  const { db, bus, relay } = tools;
  const running = new Map<string, Promise<Ended>>();

  const commits = coalesce<Allocated, Card>({
    laneOf: ({ operation }) => operation.workspace_id,
    run: async (batch) => {
      const { cards, toConfirm } = await db.transaction(async (tx) => {
        const answers = await commit(tx, batch, new Date());
        failpoint('before-commit');
        return answers;
      });
      failpoint('after-commit');
      relay.nudge();
      confirming.inBackground(toConfirm);
      return cards;
    },
  });

  const run = async (operation: Operation): Promise<Ended> => {
    const { workspace_id, card_id, payload } = operation;
    const allocation = await bus.call(contract, {
      workspace_id,
      user_id: payload.user_id,
      operation_id: operation.id,
      card_id,
      workstream_id: payload.workstream_id,
      fall_back: payload.kind === 'create' && payload.fall_back,
    });
    if (allocation.result === 'refused') return { refusal: await refuse(tools, operation, allocation.reason) };
    const { number, workstream } = allocation;
    return { card: await commits.submit({ operation, number, workstream }) };
  };

  return (operation) => {
    const drive =
      running.get(operation.id) ?? inOwnContext(() => run(operation)).finally(() => running.delete(operation.id));
    running.set(operation.id, drive);
    return drive;
  };
};
