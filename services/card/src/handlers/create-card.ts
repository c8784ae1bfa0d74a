import type { createCard as contract } from '@cardinal/contracts';
import { coalesce, currentContext, failpoint } from '@cardinal/runtime';
import { type CreateRequest, type PreparedCreate, prepareCreates } from '../allocation/prepare-creates.ts';
import type { Handler, Parts } from '../parts.ts';
import { replayed } from '../writing/write-card.ts';

/** Makes a card with the next number of its workstream. Requests that arrive together are prepared together. */
export const createCard = ({ db, allocation }: Parts): Handler<typeof contract> => {
  const prepares = coalesce<CreateRequest, PreparedCreate>({
    laneOf: (request) => request.workspace_id,
    run: async (requests) => {
      const prepared = await db.transaction((tx) => prepareCreates(tx, requests, new Date()));
      failpoint('after-prepare');
      return prepared;
    },
  });

  return (request) =>
    allocation.helping(async () => {
      const request_id = currentContext()?.requestId ?? request.command.id;
      const prepared = await prepares.submit({ ...request, request_id });
      if ('replay' in prepared) return replayed(prepared.replay);
      const ended = await allocation.drive(prepared.operation);
      if ('refusal' in ended) throw ended.refusal;
      return { resource: ended.card, replayed: false };
    });
};
