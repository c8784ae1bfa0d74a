import { erasedName, type Person, person } from '@cardinal/contracts';
import { isUniqueViolation, resourceOf } from '@cardinal/db';
import { type PersonRow, people, type Tx } from '../context.ts';
import type { Erasures } from './erasures.ts';
import { wordsOf } from './words.ts';

const shown = resourceOf(person);

/** A person as clients see them. Who was erased is called `somebody`, unless they were given a name since. */
export const toPerson = (row: PersonRow): Person =>
  shown({ ...row, user_id: row.id, name: row.name ?? (row.erased_at ? erasedName : null) });

/** What a person is called, and what names them stands for. */
type Named = Pick<
  PersonRow,
  'name' | 'email' | 'kind' | 'claimed_name' | 'claimed_email' | 'claimed_at' | 'first_seen' | 'last_seen'
>;
export type Naming = { [Column in keyof Named]?: Named[Column] | undefined };

const lookUpBy = async (tx: Tx, row: PersonRow): Promise<void> => {
  const { workspace_id, id: person_id } = row;
  await tx
    .deleteFrom('people_words')
    .where('workspace_id', '=', workspace_id)
    .where('person_id', '=', person_id)
    .execute();
  const words = wordsOf(row).map((word) => ({ workspace_id, person_id, word }));
  if (words.length > 0) await tx.insertInto('people_words').values(words).execute();
};

/** A person to insert. */
export interface NewPerson extends Naming {
  workspace_id: string;
  id: string;
  kind: PersonRow['kind'];
}

/**
 * Inserts a person. Who was erased, and forgotten with a rollback, begins behind the erasure.
 * @param erasure from the register
 * @returns undefined where the person is there already
 */
export const insertPerson = async (
  tx: Tx,
  one: NewPerson,
  erasure: Awaited<ReturnType<Erasures['of']>>,
  now: Date,
): Promise<PersonRow | undefined> => {
  const row = await tx
    .insertInto('people')
    .values({
      created_at: now,
      updated_at: now,
      ...one,
      ...(erasure && { version: erasure.version + 1, erased_at: erasure.at }),
    })
    .onConflict((on) => on.columns(['workspace_id', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row) await lookUpBy(tx, row);
  return row;
};

/** Changes a locked person, and the words by which they are found. */
export const updatePerson = async (tx: Tx, row: PersonRow, changes: Naming, now: Date): Promise<PersonRow> => {
  const changed = await people.update(tx, row, changes, now);
  if (changed.name !== row.name || changed.email !== row.email) await lookUpBy(tx, changed);
  return changed;
};

/** Who has an e-mail address. */
export const holderOf = async (tx: Tx, workspaceId: string, email: string): Promise<string | undefined> =>
  (await people.in(tx, workspaceId).where('email', '=', email).executeTakeFirst())?.id;

/** Whether a write failed since another person took the e-mail address meanwhile. */
export const isEmailTaken = (error: unknown): boolean => isUniqueViolation(error, 'people_by_email');
