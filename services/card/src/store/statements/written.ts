import type { IssuedIdentifier } from '@cardinal/contracts';

/** What a statement answers of a command that it carried out. */
export interface Written {
  command_id: string;
  /** The answer, as JSON. */
  document: string;
  /** The identifier that the card got, null where it keeps the one it has. */
  issued: IssuedIdentifier | null;
  /** Numbers left in the range that it came from. */
  room: number | null;
}
