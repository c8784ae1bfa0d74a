import { apiPrefix } from '@cardinal/contracts';

/** A URL without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** Whether a URL is one of the API's, known or not. */
export const isOfApi = (url: string): boolean => `${pathOf(url)}/`.startsWith(`${apiPrefix}/`);

/** Whether the path of a URL is UTF-8 text, percent-encoded (RFC 3986 2.5): one that is not would reach no hook. */
export const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(pathOf(url));
    return true;
  } catch {
    return false;
  }
};
