import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { unreadable } from '../files.ts';
import { openDirectory } from '../names/directory.ts';
import { isForPerson, printOne } from '../print.ts';
import { connect, type Session } from '../session.ts';

interface Options {
  board?: string;
  name?: string;
}

/** The bytes of a file as a stream, which are counted as they are sent. */
const counted = (bytes: Blob, count: (bytes: number) => void): AsyncIterable<Uint8Array> =>
  bytes.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );

const upload = async (session: Session, file: string, { board, name = basename(file) }: Options): Promise<void> => {
  const path = resolve(session.directory, file);
  if (!(await stat(path).catch((error) => Promise.reject(unreadable(file, error)))).isFile())
    throw new CliError(`${file} is no file`);
  const bytes = await openAsBlob(path);
  const client = connect(session);
  const board_id = board === undefined ? null : await openDirectory(client).idOf('board', board);
  let sent = 0;
  // A stream is sent once. Where nobody watches, the bytes are sent again after a failure.
  const source = process.stderr.isTTY ? counted(bytes, (more) => (sent += more)) : bytes;
  const work = client.files.upload({ name, board_id }, source, { size: bytes.size });
  const progress = { what: 'byte', done: () => sent, all: bytes.size };
  const stored = process.stderr.isTTY
    ? await import('../import/report.ts').then(({ showProgress }) => showProgress(work, progress))
    : await work;
  if (session.json() || isForPerson(session)) printOne(session, stored);
  else console.log(stored.id);
};

/** `cardinal files upload` */
export const addUpload = (program: Command, session: Session): void => {
  program.commands
    .find((one) => one.name() === 'files')
    ?.command('upload')
    .summary('Upload a file')
    .description(
      'Creates a file, sends its bytes, waits until they are checked, and prints its id. Exits with 1 where the checks refuse it, which keeps the file with the reason. Needs kanban:write.',
    )
    .argument('<file>', 'the file on this machine')
    .option('--board <board>', 'the board that it is as visible as (default: the whole workspace sees it)')
    .option('--name <name>', 'what it is called (default: as on this machine)')
    .action((file: string, options: Options) => upload(session, file, options));
};
