import { fileTypeFromFile } from 'file-type';

/** The type that the bytes themselves show, else the one that no browser interprets. */
export const detectType = async (path: string): Promise<string> => {
  const mime = (await fileTypeFromFile(path))?.mime ?? 'application/octet-stream';
  // Any PNG may be animated.
  return mime === 'image/apng' ? 'image/png' : mime;
};
