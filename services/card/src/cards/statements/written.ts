import type { IssuedIdentifier } from '@cardinal/contracts';

/** What a statement answers of a command that it carried out. */
export interface Written {
  command_id: string;
  card_id: string;
  /** Of the card now. */
  version: number;
  /** The card as JSON in one line, as `JSON.stringify` would write it but for a position far from 1. */
  document: string;
  /** The identifier that the card got, null where it keeps the one it has. */
  issued: IssuedIdentifier | null;
  /** Numbers left in the range that it came from. */
  room: number | null;
}
