import * as contracts from '@cardinal/contracts';
import { archiveWorkstreamHandler } from './handlers/archive-workstream.ts';
import { createWorkstreamHandler } from './handlers/create-workstream.ts';
import { getWorkstreamHandler } from './handlers/get-workstream.ts';
import { grantHandler } from './handlers/grant.ts';
import { listIdentifiersHandler } from './handlers/list-identifiers.ts';
import { listWorkstreamsHandler } from './handlers/list-workstreams.ts';
import { patchWorkstreamHandler } from './handlers/patch-workstream.ts';
import { recordIdentifiersHandler } from './handlers/record-identifiers.ts';
import { resolveIdentifierHandler } from './handlers/resolve-identifier.ts';
import type { Parts } from './parts.ts';

/** Everything that the service answers. It emits `workstream.changed`, and consumes nothing. */
export const serve = (parts: Parts): void => {
  const { bus } = parts;

  bus.serve(contracts.createWorkstream, createWorkstreamHandler(parts));
  bus.serve(contracts.getWorkstream, getWorkstreamHandler(parts));
  bus.serve(contracts.listWorkstreams, listWorkstreamsHandler(parts));
  bus.serve(contracts.patchWorkstream, patchWorkstreamHandler(parts));
  bus.serve(contracts.archiveWorkstream, archiveWorkstreamHandler(parts));

  bus.serve(contracts.grant, grantHandler(parts));
  bus.serve(contracts.recordIdentifiers, recordIdentifiersHandler(parts));
  bus.serve(contracts.resolveIdentifier, resolveIdentifierHandler(parts));
  bus.serve(contracts.listIdentifiers, listIdentifiersHandler(parts));
};
