import { fileTypeFromFile } from 'file-type';

/** The type that the bytes themselves show, else the one that no browser interprets. */
export const detectType = async (path: string): Promise<string> =>
  (await fileTypeFromFile(path))?.mime ?? 'application/octet-stream';
