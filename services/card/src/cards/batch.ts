import { Document, type IssuedIdentifier } from '@cardinal/contracts';
import { isUniqueViolation } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import type { ServiceContext } from '../context.ts';
import type { CardOutcome } from './write.ts';

/** The result of a command that a statement executed. */
export interface Written {
  command_id: string;
  card_id: string;
  version: number;
  /** The card as JSON, as `JSON.stringify` writes it, except for a position with an exponent. */
  document: string;
  /** The card's new identifier; null where it keeps the current one. */
  issued: IssuedIdentifier | null;
  /** How many numbers the range still has; null where none was issued. */
  room: number | null;
}

/**
 * Runs the statement of a batch of commands of one workspace. After the commit it nudges followers, sends new
 * identifiers to the ledger, and requests more numbers where a range is nearly empty.
 * @param commands the ids of the batch's commands, in the order of the batch
 * @returns the answer of each; undefined where the statement wrote nothing for it. Of equal commands, the first has the
 *   answer
 */
export const writeBatch = async (
  { grants, lineage, recorder, feed }: ServiceContext,
  workspaceId: string,
  commands: readonly string[],
  statement: () => Promise<Written[]>,
): Promise<(Document<CardOutcome> | undefined)[]> => {
  failpoint('before-commit');
  const written = await statement();
  failpoint('after-commit');
  if (written.length > 0) feed.nudge(workspaceId);
  const issued = written.flatMap((one) => one.issued ?? []);
  if (issued.length > 0) lineage.noteWrite();
  recorder.record(issued);
  for (const { issued: one, room } of written) {
    if (one && room !== null) grants.askEarly(one.workspace_id, one.workstream_id, room);
  }
  const answers = new Map(written.map((row) => [row.command_id, answerOf(row)]));
  return commands.map((id) => {
    const answer = answers.get(id);
    answers.delete(id);
    return answer;
  });
};

/**
 * Makes the answer of a command. Postgres and `JSON.stringify` write numbers with an exponent differently, so those are
 * converted.
 */
const answerOf = ({ card_id: id, version, document }: Written): Document<CardOutcome> =>
  new Document(
    { id, version, replayed: false },
    /"position":-?[\d.]+e/.test(document) ? JSON.stringify(JSON.parse(document)) : document,
  );

/**
 * Handles the error of a batch in which another batch's equal command came first.
 * @returns undefined, so that the caller tries again and finds the stored answer
 * @throws any other error
 */
export const unlessClaimed = (error: unknown): undefined => {
  if (!isUniqueViolation(error, 'commands_pkey')) throw error;
};
