import { join } from 'node:path';
import { type Caller, createFile, getFile } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { type Connections, startProjections } from '@cardinal/service';
import { aCommand, eventually, scratchFolder, testSurroundings } from '@cardinal/testkit';
import { testInstance } from '@cardinal/testkit/instance';
import { expect } from 'vitest';
import { createImageDecoder } from '../../src/checks/image.ts';
import type { Scanner } from '../../src/checks/scanner.ts';
import { type Config, configSchema } from '../../src/config.ts';
import type { ServiceContext, Tables } from '../../src/context.ts';
import { createContext, projectionsOf, serve } from '../../src/service.ts';
import { localFolder } from '../../src/storage/local-folder.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type Listener, openListener } from '../../src/transfers/listener.ts';
import { createSignedUrls } from '../../src/transfers/signed-urls.ts';
import { collectUploads } from '../../src/uploads/collect.ts';
import { startCardDouble } from './card-double.ts';

/** Variables of the service, and replacements of its parts. */
interface Options extends Partial<Config> {
  scanner?: Scanner;
  storage?: (folder: string) => Promise<Storage>;
  /** As in `openListener`. */
  lingerMs?: number;
  /** Another harness whose database, bus and folder are shared; by default it has its own. */
  beside?: Harness;
}

const newSurroundings = async () => {
  const { urls, adminUrl, natsUrl, nats, bus } = await testSurroundings({ service: 'attachment' });
  const card = await startCardDouble(natsUrl);
  return { databaseUrl: urls.attachment, adminUrl, natsUrl, nats, folder: scratchFolder('files'), bus, card };
};

/** Defaults: times long enough for any machine, and short intervals of sweepers. */
const usual = {
  IMAGE_TIMEOUT_MS: '600000',
  CHECK_TIMEOUT_MS: '600000',
  TRANSFER_IDLE_MS: '600000',
  WORKSPACE_MAX_FILES: '1000000',
  WORKSPACE_MAX_BYTES: '1000000000000000',
  WORKSPACE_MAX_PENDING_BYTES: '1000000000000000',
  URL_SECRET: 's'.repeat(32),
  STORAGE_URL: 'file:///',
  // A dozen harnesses pay for each look at the same time.
  CHECK_INTERVAL_MS: '300',
};

/** Starts the service in the test's process, on a real bus, database and folder, with its sweepers. */
export const startHarness = async ({
  scanner = async () => false,
  beside,
  lingerMs,
  ...options
}: Options = {}): Promise<Harness> => {
  const surroundings = beside ?? (await newSurroundings());
  const { storage: openStorage = localFolder, ...variables } = options;
  const { databaseUrl, natsUrl, folder } = surroundings;
  const env = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, SCRATCH_FOLDER: join(folder, 'scratch') };
  const config = { ...configSchema.parse({ ...usual, ...env }), ...variables };
  const storage = await openStorage(folder);
  const clock = { ahead: 0 };
  const make = async (own: Connections<Tables>) => {
    const listener = await openListener(config, own.logger, lingerMs);
    const connections = { ...own, now: () => new Date(Date.now() + clock.ahead) };
    const context = createContext(connections, {
      config,
      storage,
      scanner,
      urls: createSignedUrls(`http://127.0.0.1:${listener.port}`, config),
      decodeImage: createImageDecoder(config),
    });
    const { checks, removals } = context;
    const uploads = collectUploads(context);
    serve(context);
    listener.serve(context);
    const parts = [
      startProjections(context, projectionsOf(context)),
      { name: 'files', stop: () => Promise.all([checks, uploads, removals].map((one) => one.stop())) },
      { name: 'transfers', stop: () => listener.close() },
    ];
    return { context, listener, parts };
  };
  const { db, context, listener } = await testInstance('attachment', surroundings, make);
  return { ...surroundings, db, context, clock, listener };
};

/** A running instance, with what another instance beside it shares. */
export interface Harness extends Awaited<ReturnType<typeof newSurroundings>> {
  db: Database<Tables>;
  context: ServiceContext;
  /** How far the service's clock is ahead, ms. */
  clock: { ahead: number };
  listener: Listener;
}

/** Creates a file without its bytes. */
export const aFile = async ({ bus }: Harness, by: Caller, name = 'file.bin', board_id: string | null = null) =>
  (await bus.call(createFile, { ...by, command: aCommand(), body: { name, board_id } })).resource;

export const send = (url: string, body: Uint8Array | ReadableStream | string) =>
  fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit);

/** Uploads again once the service has detected that the previous upload broke off. */
export const sendAgain = (url: string, body: string) =>
  eventually(async () => expect((await send(url, body)).status).toBe(200));

/** Waits until the file is checked. @returns it */
export const checked = async ({ bus }: Harness, by: Caller, file_id: string) => {
  let file = await bus.call(getFile, { ...by, file_id });
  await eventually(async () => {
    file = await bus.call(getFile, { ...by, file_id });
    expect(['clean', 'infected', 'rejected']).toContain(file.status);
  });
  return file;
};

/** The pending job that checks a file. */
export const checkOf = ({ db }: Harness, file_id: string) =>
  db.read((tx) =>
    tx.selectFrom('jobs').selectAll().where('kind', '=', 'check-files').where('key', '=', file_id).executeTakeFirst(),
  );

/** Uploads a file and waits until it is checked. */
export const uploaded = async (
  harness: Harness,
  by: Caller,
  bytes: Uint8Array | string,
  name?: string,
  board?: string,
) => {
  const file = await aFile(harness, by, name, board);
  const answer = await send(file.upload.url, bytes);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return checked(harness, by, file.id);
};
