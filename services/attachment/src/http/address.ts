/** What a path of this listener names. */
export interface Address {
  workspaceId: string;
  fileId: string;
  what: 'upload' | 'content' | 'rendition';
  /** Of the rendition. */
  width: number;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const pattern = new RegExp(`/files/(${uuid})/(${uuid})/(?:(upload|content)|renditions/([1-9][0-9]{0,4}))$`);

/** The URL of a request's target, a path or absolute (RFC 9112, 3.2); undefined for any other. */
export const urlOf = (target: string): URL | undefined =>
  URL.parse(target.startsWith('/') ? `http://files.invalid${target}` : target) ?? undefined;

/** Reads a path; undefined where it is none of ours. */
export const addressOf = (path: string): Address | undefined => {
  const [, workspaceId, fileId, what = 'rendition', width] = pattern.exec(path) ?? [];
  if (!workspaceId || !fileId) return undefined;
  return { workspaceId, fileId, what: what as Address['what'], width: Number(width ?? 0) };
};
