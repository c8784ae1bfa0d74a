import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import { createFileHandler } from './handlers/create-file.ts';
import { deleteCoverHandler } from './handlers/delete-cover.ts';
import { deleteFileHandler } from './handlers/delete-file.ts';
import { deleteLinkedFileHandler } from './handlers/delete-linked-file.ts';
import { getCoverHandler } from './handlers/get-cover.ts';
import { getFileHandler } from './handlers/get-file.ts';
import { getFileContentHandler } from './handlers/get-file-content.ts';
import { listFilesHandler } from './handlers/list-files.ts';
import { putCoverHandler } from './handlers/put-cover.ts';
import { putLinkedFileHandler } from './handlers/put-linked-file.ts';
import type { Parts } from './parts.ts';
import { onCardDeleted } from './subscribers/card-deleted.ts';
import { onSubtaskDeleted } from './subscribers/subtask-deleted.ts';

/** Everything that the service answers and consumes. It emits `cover.changed` and `linked-file.changed`. */
export const serve = (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): void => {
  bus.serve(contracts.createFile, createFileHandler(parts));
  bus.serve(contracts.getFile, getFileHandler(parts));
  bus.serve(contracts.listFiles, listFilesHandler(parts));
  bus.serve(contracts.getFileContent, getFileContentHandler(parts));
  bus.serve(contracts.deleteFile, deleteFileHandler(parts));

  bus.serve(contracts.getCover, getCoverHandler(parts));
  bus.serve(contracts.putCover, putCoverHandler(parts));
  bus.serve(contracts.deleteCover, deleteCoverHandler(parts));

  bus.serve(contracts.putLinkedFile, putLinkedFileHandler(parts));
  bus.serve(contracts.deleteLinkedFile, deleteLinkedFileHandler(parts));

  const onPoison = (event: unknown, error: unknown) => deadLetter(parts.db, event, error);
  const { attachmentOfDeletedCards, attachmentOfDeletedSubtasks } = contracts.consumers;
  bus.consume({ consumer: attachmentOfDeletedCards, handle: onCardDeleted(parts), onPoison });
  bus.consume({ consumer: attachmentOfDeletedSubtasks, handle: onSubtaskDeleted(parts), onPoison });
};
