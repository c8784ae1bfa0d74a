import type { CreateCardBody } from '@cardinal/contracts';
import type { Selectable } from 'kysely';
import type { Edits } from '../../domain/edit.ts';
import type { Tables } from '../database.ts';

/** What the writer of an operation said, kept until its number is there. */
interface Asked {
  user_id: string;
  /** Names the request in the event that tells of the commit, whoever drives the operation to it. */
  request_id: string;
}

/** A card to make. `workstream_id` null is the workspace's default; `fall_back` lets an archived one give way to it. */
export interface CreatePayload extends Asked {
  kind: 'create';
  workstream_id: string | null;
  fall_back: boolean;
  board_id: string;
  column_id: string;
  fields: Omit<CreateCardBody, 'workstream_id'>;
}

/** A card to give a number of another workstream, together with the edits that came with it. */
export interface TransferPayload extends Asked {
  kind: 'transfer';
  workstream_id: string;
  edits: Edits;
}

/** One run of the allocation protocol (architecture, "One commit point"). */
export interface Operation<Payload = CreatePayload | TransferPayload> {
  workspace_id: string;
  id: string;
  command_id: string;
  card_id: string;
  state: 'pending' | 'committed';
  payload: Payload;
  /** The card's version that the commit made, and when; null while pending. */
  card_version: number | null;
  assigned_at: Date | null;
  created_at: Date;
}

// Nobody but `insertOperations` writes this table, so its text and JSON columns hold what the types say.
export const toOperation = (row: Selectable<Tables['operations']>): Operation => row as unknown as Operation;
