import { hash } from 'node:crypto';

/** Who sends a key: a key belongs to one user of one workspace. */
interface KeyOwner {
  workspace_id: string;
  user_id: string;
}

/**
 * One operation of each service whose ids are made as they were when they did not count by operation, so that what is
 * stored of them goes on to be replayed (ADR 0018). They stay apart from all others: no key contains a line feed.
 */
const unnamed: readonly string[] = ['createCard', 'createWorkstream', 'createFile'];

/**
 * The id of the command that an idempotency key stands for: the same for every request of an operation with that key
 * (api-decisions, "Idempotency").
 * @returns a UUID of version 8 (RFC 9562 5.8) made of a SHA-256
 */
export const commandIdOf = ({ workspace_id, user_id }: KeyOwner, operationId: string, key: string): string => {
  const scope = unnamed.includes(operationId) ? key : `${operationId}\n${key}`;
  const hex = hash('sha256', `${workspace_id}|${user_id}|${scope}`, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
};
