import { expect, test } from 'vitest';
import { createCards } from '../src/store/statements/create-cards.ts';
import { projectDependencies } from '../src/store/statements/project-dependencies.ts';
import { readCardsToWrite } from '../src/store/statements/read-cards-to-write.ts';
import { summarizeCards } from '../src/store/statements/summarize-cards.ts';
import { writeCards } from '../src/store/statements/write-cards.ts';

test.each([
  ['create-cards', createCards],
  ['read-cards-to-write', readCardsToWrite],
  ['write-cards', writeCards],
  ['project-dependencies', projectDependencies],
  ['summarize-cards', summarizeCards],
])('the statement of %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
