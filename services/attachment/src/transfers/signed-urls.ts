import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';

/** Time in which a download must begin, ms; one that began continues. */
const downloadTtlMs = 300_000;
/** Step to which expiry times are rounded, ms, so that a repeated read answers the same URL. */
const stepMs = 60_000;

export type SignedUrls = ReturnType<typeof createSignedUrls>;

/**
 * Makes and checks the URLs of uploads and downloads, which need no token.
 * @param publicUrl the listener's URL for clients
 * @param config the secret that signs, which every instance must accept; and one more that is accepted: the instances
 * sign with it next, or did before
 */
export const createSignedUrls = (
  publicUrl: string,
  { URL_SECRET: secret, URL_SECRET_ACCEPTED: accepted }: Pick<Config, 'URL_SECRET' | 'URL_SECRET_ACCEPTED'>,
) => {
  const base = publicUrl.replace(/\/+$/, '');
  const basePath = new URL(base).pathname.replace(/\/+$/, '');
  const signatureOf = (method: string, path: string, expires: string, by = secret) =>
    createHmac('sha256', by).update(`${method}\n${path}\n${expires}`).digest('base64url');
  const secrets = accepted === undefined ? [secret] : [secret, accepted];
  const signed = (method: 'GET' | 'PUT', { workspaceId, fileId, what }: Address, expiresAt: number) => {
    const path = `/files/${workspaceId}/${fileId}/${what}`;
    return `${base}${path}?expires=${expiresAt}&signature=${signatureOf(method, path, String(expiresAt))}`;
  };

  return {
    upload: (workspaceId: string, fileId: string, expiresAt: Date) =>
      signed('PUT', { workspaceId, fileId, what: 'upload' }, expiresAt.getTime()),
    /** The URL of a file or a rendition, valid for 4 to 5 minutes. */
    content: (workspaceId: string, fileId: string, now: Date, what = 'content') =>
      signed('GET', { workspaceId, fileId, what }, Math.floor(now.getTime() / stepMs) * stepMs + downloadTtlMs),
    /** Whether the method and path were signed here and have not expired. */
    isGood(method: 'GET' | 'PUT', url: URL, now: Date): boolean {
      const expires = url.searchParams.get('expires') ?? '';
      const given = Buffer.from(url.searchParams.get('signature') ?? '');
      const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname;
      const isSigned = secrets.some((by) => {
        const right = Buffer.from(signatureOf(method, path, expires, by));
        return given.length === right.length && timingSafeEqual(given, right);
      });
      return isSigned && Number(expires) > now.getTime();
    },
  };
};

/** The parts of a path of this listener. */
export interface Address {
  workspaceId: string;
  fileId: string;
  /** `upload`, `content` or `renditions/<width>`. */
  what: string;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const pattern = new RegExp(
  `/files/(?<workspaceId>${uuid})/(?<fileId>${uuid})/(?<what>upload|content|renditions/[1-9][0-9]{0,4})$`,
);

/** The URL of a request's target, a path or absolute (RFC 9112, 3.2); undefined for any other. */
export const urlOf = (target: string): URL | undefined =>
  URL.parse(target.startsWith('/') ? `http://files.invalid${target}` : target) ?? undefined;

/** Parses a path; undefined where it is none of this listener. */
export const addressOf = (path: string) => pattern.exec(path)?.groups as Address | undefined;
