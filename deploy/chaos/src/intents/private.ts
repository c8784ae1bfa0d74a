import * as api from '@cardinal/contracts';
import type { Client, Done } from '../client.ts';
import { requestFor } from '../send.ts';
import { hiddenPrefix } from '../told.ts';

interface KeepOptions {
  until: AbortSignal;
  /** The mean pause between two requests, ms. */
  meanPauseMs: number;
  /** Receives the ids of boards and columns that nobody else sees. */
  secrets: Set<string>;
}

interface Place {
  board: string;
  column: string;
}

/** Sets the visibility of a board, which only the keeper writes. @returns whether that was acknowledged */
const editBoard = async (client: Client, board: string, visibility: string): Promise<boolean> => {
  const read = await client.ask(api.getBoard, [board]);
  const version = read.answer?.body.resource?.version;
  if (version === undefined) return false;
  const done = await client.once(requestFor(api.patchBoard, [board], { ifMatch: version, body: { visibility } }));
  return done.answer?.status === 200;
};

const makePlace = async (client: Client, name: string, visibility: string): Promise<Place | undefined> => {
  const made = await client.ask(api.createBoard, [], { body: { name, visibility } });
  const board = made.answer?.body.resource?.id;
  if (board === undefined) return undefined;
  const column = (await client.ask(api.createColumn, [board], { body: { name } })).answer?.body.resource?.id;
  return column === undefined ? undefined : { board, column };
};

const makeCard = (client: Client, { column }: Place, title: string): Promise<Done> =>
  client.ask(api.createCard, [column], { body: { title, description: title } });

const move = async (client: Client, card: string, { column }: Place): Promise<void> => {
  const version = (await client.ask(api.getCard, [card])).answer?.body.card?.version;
  if (version !== undefined) await client.ask(api.moveCard, [card], { ifMatch: version, body: { column_id: column } });
};

const comment = (client: Client, card: string, body: string): Promise<Done> =>
  client.ask(api.createComment, [card], { body: { body } });

/**
 * Keeps two boards for one user: one that nobody else ever sees, and one that is closed and opened again and again. Cards
 * move between them. Strangers must get no event of a private board (`checks/visibility.ts`).
 */
export const keepBoards = async (client: Client, { until, meanPauseMs, secrets }: KeepOptions): Promise<void> => {
  const hidden = () => `${hiddenPrefix}${client.name()}`;
  const rest = () => client.wait((client.random.int(0, 2_000) / 1_000) * meanPauseMs);
  let [closed, changing]: (Place | undefined)[] = [];
  while (!until.aborted && !(closed && changing)) {
    closed ??= await makePlace(client, hidden(), 'private');
    changing ??= await makePlace(client, client.name(), 'workspace');
    await rest();
  }
  if (!closed || !changing) return;
  for (const id of Object.values(closed)) secrets.add(id);
  while (!until.aborted) {
    const kept = (await makeCard(client, closed, hidden())).answer?.body.card?.id;
    if (kept) await comment(client, kept, hidden());
    const seen = (await makeCard(client, changing, client.name())).answer?.body.card?.id;
    if (seen) await move(client, seen, closed);
    await rest();
    if (await editBoard(client, changing.board, 'private')) {
      const card = (await makeCard(client, changing, client.name())).answer?.body.card?.id;
      if (card) await comment(client, card, client.name());
      if (seen) await move(client, seen, changing);
      await rest();
    }
    await editBoard(client, changing.board, 'workspace');
    await rest();
  }
};
