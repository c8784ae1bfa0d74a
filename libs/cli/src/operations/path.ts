import { apiPrefix, declaredOperations } from '@cardinal/contracts';
import { isWebAddress } from '../config.ts';
import { UsageError } from '../errors.ts';

/** What paths of the API begin with. */
const roots = new Set(declaredOperations.map(({ http }) => http.path.split('/')[1] ?? ''));

/** Git Bash and MSYS make a file's path of Windows out of whatever begins with a slash. */
const isOfWindows = (text: string) => /^[A-Za-z]:[\\/]/.test(text);

/** What of such a path was typed, as far as it can be known. */
const typedIn = (path: string): string => {
  const parts = path.split(/[\\/]+/);
  const at = parts.findIndex((part) => roots.has(part.split('?')[0] ?? ''));
  return at === -1 ? 'cards/PAY-7' : parts.slice(at).join('/');
};

/**
 * The path below the API's prefix that was typed, with its query: with that prefix or without, with a slash before it or without.
 * @throws UsageError for what is none
 */
export const pathOf = (given: string): string => {
  if (isOfWindows(given)) {
    throw new UsageError(
      `${given}: the shell (Git Bash does) made a path of Windows of it; write it without the slash before it: ${typedIn(given)}`,
    );
  }
  if (isWebAddress(given))
    throw new UsageError(`${given}: say --url for where Cardinal is, and here the path: cards/PAY-7`);
  const path = given.replace(/^\/*/, '/');
  if (path === '/') throw new UsageError(`${given || 'the path'}: must name something, such as cards/PAY-7`);
  return path.startsWith(`${apiPrefix}/`) ? path.slice(apiPrefix.length) : path;
};
