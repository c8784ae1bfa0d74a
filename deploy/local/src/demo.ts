import { type CardinalClient, CardinalError, createClient } from '@cardinal/client/source';
import { readIfThere, replaceFile } from '@cardinal/servers';

/** The workspace and user of the demonstration, and of tokens that name no others. */
export const demoWorkspace = '0199d000-0000-7000-8000-000000000001';
export const demoUser = '0199d000-0000-7000-8000-000000000002';
/** The scopes of the user that fills it. */
export const demoScope = 'kanban:read kanban:write kanban:admin';
/** A superseded identifier of the demo, which still finds its card. */
export const demoIdentifier = 'WEB-3';

/** The same key for the same thing makes a repetition after a killed start harmless. */
const once = (thing: string) => ({ idempotencyKey: `demo-${thing.replaceAll(' ', '-')}` });

/** The people of the demo; the first one is its user. */
const names = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Mary Jackson', 'Annie Easley'];
const emailOf = (name: string) => `${name.split(' ')[0]?.toLowerCase()}@example.com`;

/** Names the user, who may have been noted before. */
const nameUser = async ({ people }: CardinalClient, name: string) => {
  const said = { name, email: emailOf(name) };
  await people.add({ ...said, user_id: demoUser }, once(name)).catch(async (error) => {
    if (!(error instanceof CardinalError && error.status === 409)) throw error;
    await people.update(await people.get(demoUser), said);
  });
  return { user_id: demoUser };
};

const fill = async (baseUrl: string, token: string) => {
  const client = createClient({ baseUrl, token });
  const { boards, cards, columns, people, workstreams } = client;
  const web = await workstreams.create({ name: 'Website', prefix: 'WEB' }, once('WEB'));
  const app = await workstreams.create({ name: 'Mobile app', prefix: 'APP' }, once('APP'));
  const board = await boards.create({ name: 'Launch' }, once('Launch'));
  const [own = '', ...others] = names;
  const team = [await nameUser(client, own)];
  for (const name of others) team.push(await people.add({ name, email: emailOf(name) }, once(name)));
  const column = (name: string) => columns.create(board.id, { name }, once(name));
  const [todo, doing, done] = [await column('To do'), await column('Doing'), await column('Done')];
  let assigned = 0;
  const card = (at: { id: string }, title: string, workstream?: { id: string }) => {
    const assignee = team[assigned++ % team.length];
    const more = {
      ...(workstream && { workstream_id: workstream.id }),
      assignee_user_ids: assignee ? [assignee.user_id] : [],
    };
    return cards.create(at.id, { title, ...more }, once(title));
  };
  await card(done, 'Choose a name', web);
  await card(doing, 'Draw the front page', web);
  const moving = await card(todo, 'Push notifications', web);
  await card(todo, 'Sign in with a passkey', app);
  await card(todo, 'Order the cake');
  await cards.transfer(moving, { workstream_id: app.id }, once('transfer'));
};

/**
 * Fills the demo workspace through the public API, once per database: what the user deletes stays deleted.
 * @param file remembers which databases have it
 * @param credential makes a token or an API key of its user
 */
export const ensureDemo = async (options: {
  file: string;
  database: string;
  baseUrl: string;
  credential: () => Promise<string>;
}) => {
  const done: string[] = JSON.parse(readIfThere(options.file) || '[]');
  if (done.includes(options.database)) return;
  await fill(options.baseUrl, await options.credential()).catch((error) => {
    // Its prefixes are taken: another checkout filled this database long ago.
    if (error instanceof CardinalError && error.status === 409) return;
    throw new Error(`the demo workspace could not be filled: ${error.message}`, { cause: error });
  });
  replaceFile(options.file, JSON.stringify([...done, options.database], null, 2));
};
