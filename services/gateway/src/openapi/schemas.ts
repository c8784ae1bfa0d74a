import {
  board,
  card,
  cardReference,
  cardResolvedView,
  column,
  createBoardBody,
  createCardBody,
  createColumnBody,
  createWorkstreamBody,
  errorBody,
  identifierHistoryEntry,
  moveCardBody,
  pageInfo,
  patchBoardBody,
  patchCardBody,
  patchColumnBody,
  patchWorkstreamBody,
  transferCardBody,
  workstream,
  workstreamSummary,
} from '@cardinal/contracts';
import { z } from 'zod';

/** Names of the schemas on the API page; those of bodies get the suffix `Input`. */
const names: Record<string, z.ZodType> = {
  Board: board,
  Card: card,
  CardLookup: cardResolvedView,
  CardReference: cardReference,
  Column: column,
  Error: errorBody,
  IdentifierHistoryEntry: identifierHistoryEntry,
  Page: pageInfo,
  Workstream: workstream,
  WorkstreamSummary: workstreamSummary,
  CreateBoard: createBoardBody,
  CreateCard: createCardBody,
  CreateColumn: createColumnBody,
  CreateWorkstream: createWorkstreamBody,
  MoveCard: moveCardBody,
  PatchBoard: patchBoardBody,
  PatchCard: patchCardBody,
  PatchColumn: patchColumnBody,
  PatchWorkstream: patchWorkstreamBody,
  TransferCard: transferCardBody,
};

/** Names the contracts' schemas, so that the document refers to them instead of repeating them. */
export const nameSchemas = (): void => {
  for (const [id, schema] of Object.entries(names)) {
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  }
};
