import type { OperationKey } from '../store/operations/find-operation.ts';

/**
 * A write met an operation under way. Thrown inside the write's transaction, so that it rolls back and holds no lock
 * while the operation is helped to its end; without an operation the write is just tried again.
 */
export class Busy extends Error {
  readonly inTheWay: { workspaceId: string; key: OperationKey } | undefined;

  constructor(inTheWay?: { workspaceId: string; key: OperationKey }) {
    super('An operation is under way');
    this.name = 'Busy';
    this.inTheWay = inTheWay;
  }
}
