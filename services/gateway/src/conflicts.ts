import type { Bus } from '@cardinal/bus';
import {
  type Caller,
  CardinalError,
  type HttpOperation,
  listVersionChanges,
  loggedResources,
  type StaleVersion,
  versionChangesWaitMs,
} from '@cardinal/contracts';
import { currentContext, newContext, runInContext } from '@cardinal/runtime';
import type { Params } from './card-names.ts';

/** The versioned resource of an operation: the last one of its path. */
const resourceOf = ({ path }: HttpOperation): { param: string; type: (typeof loggedResources)[number] | undefined } => {
  const [, param = ''] = /.*:(\w+)/.exec(path) ?? [];
  return { param, type: loggedResources.find((type) => param === `${type}_id`) };
};

interface Conflicting {
  caller: Caller;
  /** The versions in `If-Match`. */
  ifMatch: readonly number[];
  /** Of the path, all of them ids. */
  params: Params;
}

/** Adds to the 412 of an operation what changed the resource since the version in `If-Match` (CONTRACT 3.2). */
export const explainConflicts = (bus: Pick<Bus, 'call'>, operation: HttpOperation) => {
  const { param, type } = resourceOf(operation);
  const unknown = { changes: [], complete: false };

  const changesSince = async ({ caller, ifMatch, params }: Conflicting, { current_version, within }: StaleVersion) => {
    const after = Math.max(0, ...ifMatch.filter((version) => version < current_version));
    const id = params[param];
    if (type === undefined || id === undefined || after === 0) return unknown;
    const subject = { type, id, within: within ?? null };
    const context = newContext({ ...currentContext(), timeoutMs: versionChangesWaitMs });
    return runInContext(context, () =>
      bus.call(listVersionChanges, { ...caller, subject, after, until: current_version }),
    ).catch(() => unknown);
  };

  /** @returns the error for the client */
  return async (conflicting: Conflicting, error: unknown): Promise<unknown> => {
    if (!(error instanceof CardinalError && error.code === 'precondition_failed')) return error;
    const stale = error.details as StaleVersion;
    const details = { current_version: stale.current_version, ...(await changesSince(conflicting, stale)) };
    return new CardinalError(error.code, error.message, details);
  };
};
