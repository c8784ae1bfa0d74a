import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { uuid } from './scalars.ts';

/**
 * The text of a key: `cardinal_`, then the workspace (16 bytes) and 32 random bytes in base62, then the CRC-32 of all that
 * in base62. Every text has the same length, so one pattern finds them all.
 */
const prefix = 'cardinal_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const [workspaceBytes, randomSize] = [16, 32];
/** Digits of 48 bytes, and of 4. */
const [bodyLength, sumLength] = [65, 6];

/** What secret scanners look for. */
const pattern = `${prefix}[0-9A-Za-z]{${bodyLength + sumLength}}`;
const wholeText = new RegExp(`^${pattern}$`);
const textWithin = new RegExp(pattern, 'g');

/** A text for logs, without the keys that somebody put into it. */
export const withoutKeys = (text: string): string => text.replace(textWithin, `${prefix}[redacted]`);

const toBase62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text;
};

const fromBase62 = (text: string): bigint => {
  let value = 0n;
  for (const digit of text) value = value * 62n + BigInt(digits.indexOf(digit));
  return value;
};

const sumOf = (text: string): string => toBase62(BigInt(crc32(text)), sumLength);

/** Makes the text of a new key of a workspace. */
export const newKeyText = (workspaceId: string): string => {
  const hex = workspaceId.replaceAll('-', '') + randomBytes(randomSize).toString('hex');
  const body = prefix + toBase62(BigInt(`0x${hex}`), bodyLength);
  return body + sumOf(body);
};

/** Whether a credential is meant to be an API key: a JWT begins in another way. */
export const isApiKey = (text: string): boolean => text.startsWith(prefix);

/** The SHA-256 of a text, in base64url: what is kept of it. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url');

/** The workspace of a text; undefined where the text is no key: it has another form, or its sum is wrong. */
export const workspaceOf = (text: string): string | undefined => {
  if (!wholeText.test(text)) return undefined;
  const body = text.slice(0, -sumLength);
  if (text.slice(-sumLength) !== sumOf(body)) return undefined;
  const hex = fromBase62(body.slice(prefix.length))
    .toString(16)
    .padStart((workspaceBytes + randomSize) * 2, '0');
  // 65 digits can be more than 48 bytes.
  if (hex.length > (workspaceBytes + randomSize) * 2) return undefined;
  const id = hex.slice(0, workspaceBytes * 2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return uuid.safeParse(id).success ? id : undefined;
};
