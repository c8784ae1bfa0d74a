import {
  allocate,
  archiveWorkstream,
  confirm,
  consumers,
  createWorkstream,
  getWorkstream,
  listIdentifiers,
  listWorkstreams,
  patchWorkstream,
  resolveIdentifier,
} from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import { allocateHandler } from './handlers/allocate.ts';
import { archiveWorkstreamHandler } from './handlers/archive-workstream.ts';
import { confirmHandler } from './handlers/confirm.ts';
import { createWorkstreamHandler } from './handlers/create-workstream.ts';
import { getWorkstreamHandler } from './handlers/get-workstream.ts';
import { listIdentifiersHandler } from './handlers/list-identifiers.ts';
import { listWorkstreamsHandler } from './handlers/list-workstreams.ts';
import { patchWorkstreamHandler } from './handlers/patch-workstream.ts';
import { resolveIdentifierHandler } from './handlers/resolve-identifier.ts';
import type { Parts } from './parts.ts';
import { onCardCreated } from './subscribers/card-created.ts';
import { onCardTransferred } from './subscribers/card-transferred.ts';

/** Everything that the service answers and consumes. It emits `workstream.changed`. */
export const serve = (parts: Parts): void => {
  const { bus, db } = parts;

  bus.serve(createWorkstream, createWorkstreamHandler(parts));
  bus.serve(getWorkstream, getWorkstreamHandler(parts));
  bus.serve(listWorkstreams, listWorkstreamsHandler(parts));
  bus.serve(patchWorkstream, patchWorkstreamHandler(parts));
  bus.serve(archiveWorkstream, archiveWorkstreamHandler(parts));

  bus.serve(allocate, allocateHandler(parts));
  bus.serve(confirm, confirmHandler(parts));
  bus.serve(resolveIdentifier, resolveIdentifierHandler(parts));
  bus.serve(listIdentifiers, listIdentifiersHandler(parts));

  const onPoison = (event: unknown, error: unknown) => deadLetter(db, event, error);
  bus.consume({ consumer: consumers.identifierOfNewCards, handle: onCardCreated(parts), onPoison });
  bus.consume({ consumer: consumers.identifierOfTransfers, handle: onCardTransferred(parts), onPoison });
};
