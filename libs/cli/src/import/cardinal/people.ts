import { CardinalError } from '@cardinal/client/source';
import type { ImportContext } from './context.ts';

const isConflict = (error: unknown): boolean => error instanceof CardinalError && error.code === 'conflict';

/** Adds the people of an export. Who has a name here already keeps it; an address that another has here is left out. */
export const addPeople = async ({ client, journal, survey, left }: ImportContext): Promise<void> => {
  for (const { user_id, name, email, kind } of survey.people) {
    if (name === null) continue;
    await journal.once(`person ${user_id}`, async (key) => {
      try {
        return (await client.people.add({ user_id, name, email, kind }, key)).id;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
      const [known] = await client.people.list({ user_id }).all();
      if (known && known.name === null) await client.people.update(known, { name });
      if (!known) {
        await client.people.add({ user_id, name, kind });
        left.push(`the e-mail address of ${name}, which somebody else has here`);
      }
      return user_id;
    });
  }
};
