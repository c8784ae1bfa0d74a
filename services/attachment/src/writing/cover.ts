import type { Cover } from '@cardinal/contracts';
import type { ImageFile } from '../domain/readiness.ts';
import type { SignedUrls } from '../links/signed-urls.ts';

/** What a cover shows of its file. */
export const coverOf = (file: ImageFile, urls: SignedUrls, now: Date): Cover => ({
  file_id: file.id,
  name: file.name,
  content_type: file.content_type,
  width: file.width,
  height: file.height,
  renditions: file.renditions.map(({ width, height }) => ({
    width,
    height,
    url: urls.rendition(file.workspace_id, file.id, width, now),
  })),
});
