import type { RequestContract } from '@cardinal/contracts';
import * as contracts from '@cardinal/contracts';
import type { Exercise } from '@cardinal/testkit';
import { aCaller, aCommand, whitePng } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { aFile, type Harness, uploaded } from './harness.ts';
import { picture } from './images.ts';

/** The content that the scanner of the contract tests reports as a virus. */
export const virus = 'a virus';

/** A user of a workspace of its own, and functions that create resources in it. */
export const given = (harness: Harness) => {
  const who = aCaller();
  const board = () => {
    const id = v7();
    harness.card.boards.add(id);
    return id;
  };
  const card = (boardDeleted = false) => {
    const id = v7();
    harness.card.cards.set(id, { boardDeleted });
    return id;
  };
  const subtask = (on = card()) => {
    const id = v7();
    harness.card.subtasks.set(id, on);
    return id;
  };
  const upload = async (bytes: Uint8Array | string, name: string) => (await uploaded(harness, who, bytes, name)).id;
  return {
    who,
    board,
    card,
    subtask,
    pending: async () => (await aFile(harness, who)).id,
    plan: () => upload('%PDF-1.7\n', 'plan.pdf'),
    photo: () => upload(whitePng(1500, 1000), 'photo.png'),
    infected: () => upload(virus, 'plan.pdf'),
    broken: async () => upload((await picture('jpeg')).subarray(0, 20_000), 'photo.jpg'),
  };
};
type Given = ReturnType<typeof given>;

/** Makes a request that succeeds, and requests that are refused. */
type Prepare = (of: Given, harness: Harness) => Promise<Exercise>;

const page = { limit: 10 };

/** A request of every kind that the service serves. */
export const requests: [RequestContract, Prepare][] = [
  [
    contracts.createFile,
    async (of, harness) => {
      const on = (board_id: string) => ({ ...of.who, command: aCommand(), body: { name: 'plan.pdf', board_id } });
      const request = on(of.board());
      const full = { ...on(of.board()), workspace_id: v7() };
      const usage = { files: 1e6, pending_files: 0, scanning_bytes: 0, clean_bytes: 0 };
      await harness.db.transaction((tx) =>
        tx
          .insertInto('workspace_usage')
          .values({ workspace_id: full.workspace_id, ...usage })
          .execute(),
      );
      return { request, refused: { not_found: on(v7()), conflict: full } };
    },
  ],
  [contracts.getFile, async (of) => ({ request: { ...of.who, file_id: await of.plan() } })],
  [
    contracts.listFiles,
    async (of) => {
      await of.plan();
      return { request: { ...of.who, page } };
    },
  ],
  [
    contracts.getFileContent,
    async (of) => {
      const read = (file_id: string) => ({ ...of.who, file_id });
      return {
        request: read(await of.plan()),
        refused: {
          conflict: read(await of.pending()),
          validation_error: [read(await of.infected()), read(await of.broken())],
        },
      };
    },
  ],
  [contracts.deleteFile, async (of) => ({ request: { ...of.who, command: aCommand(), file_id: await of.plan() } })],

  [
    contracts.getCover,
    async (of, { bus }) => {
      const request = { ...of.who, card_id: of.card() };
      await bus.call(contracts.putCover, { ...request, file_id: await of.photo() });
      return { request };
    },
  ],
  [
    contracts.putCover,
    async (of) => {
      const put = (file_id: string, card_id = of.card()) => ({ ...of.who, card_id, file_id });
      const photo = await of.photo();
      return {
        request: put(photo),
        refused: {
          conflict: [put(await of.pending()), put(photo, of.card(true))],
          validation_error: [put(await of.infected()), put(await of.broken()), put(await of.plan())],
        },
      };
    },
  ],
  [
    contracts.deleteCover,
    async (of, { bus }) => {
      const request = { ...of.who, card_id: of.card() };
      await bus.call(contracts.putCover, { ...request, file_id: await of.photo() });
      return { request, refused: { conflict: { ...of.who, card_id: of.card(true) } } };
    },
  ],

  [
    contracts.putLinkedFile,
    async (of) => {
      const put = (file_id: string, subtask_id = of.subtask()) => ({ ...of.who, subtask_id, file_id });
      const plan = await of.plan();
      return {
        request: put(plan),
        refused: {
          conflict: [put(await of.pending()), put(plan, of.subtask(of.card(true)))],
          validation_error: [put(await of.infected()), put(await of.broken())],
        },
      };
    },
  ],
  [
    contracts.deleteLinkedFile,
    async (of, { bus }) => {
      const request = { ...of.who, subtask_id: of.subtask() };
      await bus.call(contracts.putLinkedFile, { ...request, file_id: await of.plan() });
      return { request, refused: { conflict: { ...of.who, subtask_id: of.subtask(of.card(true)) } } };
    },
  ],
];
