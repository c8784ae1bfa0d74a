import { hash } from 'node:crypto';

/** Who sends a key: a key belongs to one user of one workspace. */
interface KeyOwner {
  workspace_id: string;
  user_id: string;
}

/**
 * The id of the command that an idempotency key stands for: the same for every request with that key.
 * @returns a UUID of version 8 (RFC 9562 5.8) made of a SHA-256
 */
export const commandIdOf = ({ workspace_id, user_id }: KeyOwner, key: string): string => {
  const hex = hash('sha256', `${workspace_id}|${user_id}|${key}`, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
};
