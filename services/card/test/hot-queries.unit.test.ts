import { expect, test } from 'vitest';
import { insertAdopted } from '../src/adoptions/statement.ts';
import { seeBoards } from '../src/boards/queries.ts';
import { projectDependencies } from '../src/cards/dependency-projection.ts';
import { explainEdits } from '../src/cards/edit.ts';
import { openLists } from '../src/cards/list.ts';
import { lookUpCards, lookUpIdentifiers } from '../src/cards/look-up.ts';
import { readCards } from '../src/cards/read.ts';
import { findReferences } from '../src/cards/references.ts';
import { createCards, createMarkedCards } from '../src/cards/statements/create-cards.ts';
import { editCards, transferCards } from '../src/cards/statements/edit-cards.ts';
import { summarizeCards } from '../src/cards/summaries.ts';

test.each([
  ['create-cards', createCards],
  ['insert-adopted', insertAdopted],
  ['create-marked-cards', createMarkedCards],
  ['explain-edits', explainEdits],
  ['edit-cards', editCards],
  ['transfer-cards', transferCards],
  ['open-lists', openLists],
  ['read-cards', readCards],
  ['look-up-cards', lookUpCards],
  ['look-up-identifiers', lookUpIdentifiers],
  ['find-references', findReferences],
  ['project-dependencies', projectDependencies],
  ['see-boards', seeBoards],
  ['summarize-cards', summarizeCards],
])('the statement of %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
