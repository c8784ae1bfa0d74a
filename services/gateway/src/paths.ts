import { apiPrefix } from '@cardinal/contracts';

/** A URL without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** Whether a URL is below the API's prefix. */
export const isOfApi = (url: string): boolean => `${pathOf(url)}/`.startsWith(`${apiPrefix}/`);

/** Whether the path of a URL is UTF-8 text, percent-encoded (RFC 3986 2.5). No hook would run for another one. */
export const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(pathOf(url));
    return true;
  } catch {
    return false;
  }
};
