import type { Card, Workstream } from '@cardinal/contracts';
import type { CreatePayload, Operation, TransferPayload } from '../store/operations/operation.ts';

/** An operation and the number that the identifier service gave it. */
export interface Allocated<Payload = CreatePayload | TransferPayload> {
  operation: Operation<Payload>;
  number: number;
  workstream: Workstream;
}

/** An operation and the card that its commit made. */
export interface Committed {
  operation: Operation;
  card: Card;
}

const isOf =
  <Kind extends Operation['payload']['kind']>(kind: Kind) =>
  (allocated: Allocated): allocated is Allocated<Extract<Operation['payload'], { kind: Kind }>> =>
    allocated.operation.payload.kind === kind;

export const isCreate = isOf('create');
export const isTransfer = isOf('transfer');
