import { Document, type IssuedIdentifier } from '@cardinal/contracts';
import { isUniqueViolation } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import type { ServiceContext } from '../context.ts';
import type { CardOutcome } from './write.ts';

/** What a statement answers of a command that it carried out. */
export interface Written {
  command_id: string;
  card_id: string;
  version: number;
  /** The card as JSON in one line, as `JSON.stringify` would write it, except for a position far from 1. */
  document: string;
  /** The identifier that the card got, null where it keeps the one it has. */
  issued: IssuedIdentifier | null;
  /** Numbers left in the range that it came from. */
  room: number | null;
}

/**
 * Runs the statement of a batch of commands of a workspace, and sends on its way what follows from its commit.
 * @param commands ids of the batch's commands, in its order
 * @returns for each its answer; undefined where nothing was written of it. Of equal commands the first one has the answer
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

/** Numbers are written as JSON.stringify writes them; Postgres writes those with an exponent in its own way. */
const answerOf = ({ card_id: id, version, document }: Written): Document<CardOutcome> =>
  new Document(
    { id, version, replayed: false },
    /"position":-?[\d.]+e/.test(document) ? JSON.stringify(JSON.parse(document)) : document,
  );

/** An equal command came first, in another batch: what it was answered is found by the next try. */
export const unlessClaimed = (error: unknown): undefined => {
  if (!isUniqueViolation(error, 'commands_pkey')) throw error;
};
