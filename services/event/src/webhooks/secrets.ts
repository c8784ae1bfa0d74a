import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Seals secrets for the database (`createVault`). */
export type Vault = ReturnType<typeof createVault>;

const cipher = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];

/** What is sealed with a key names it, so that it is found among those that are accepted. */
const derive = (key: string) => {
  const bytes = (length: number, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, length));
  return { id: bytes(6, 'cardinal webhook key id').toString('base64url'), key: bytes(32, 'cardinal webhook secrets') };
};

/**
 * Keeps secrets encrypted at rest: AES-256-GCM, under keys derived by HKDF (RFC 5869). What is sealed belongs to one
 * webhook: in the row of another it does not open.
 * @param current seals
 * @param accepted opens too, while one key replaces the other (deploy/rotation.md)
 */
export const createVault = (current: string, accepted?: string) => {
  const sealing = derive(current);
  const known = [sealing, ...(accepted === undefined ? [] : [derive(accepted)])];
  return {
    /** How what is sealed with the current key begins. */
    prefix: `${sealing.id}.`,
    seal: (secret: string, webhookId: string): string => {
      const iv = randomBytes(ivBytes);
      const encryption = createCipheriv(cipher, sealing.key, iv).setAAD(Buffer.from(webhookId));
      const sealed = Buffer.concat([iv, encryption.update(secret), encryption.final(), encryption.getAuthTag()]);
      return `${sealing.id}.${sealed.toString('base64url')}`;
    },
    /** @throws Error where no known key sealed it for that webhook */
    open: (sealed: string, webhookId: string): string => {
      const [id, content = ''] = sealed.split('.');
      const by = known.find((one) => one.id === id);
      if (!by) throw new Error('a secret of a webhook was sealed with a key that is neither current nor accepted');
      const bytes = Buffer.from(content, 'base64url');
      const decryption = createDecipheriv(cipher, by.key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(webhookId))
        .setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decryption.update(bytes.subarray(ivBytes, -tagBytes)), decryption.final()]).toString();
    },
  };
};

/** A new secret (Standard Webhooks: 24 to 64 random bytes). */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** What a webhook has of them, sealed. */
interface SealedSecrets {
  secret: string;
  former_secret: string | null;
  former_secret_until: Date | null;
}

/** Those that sign now: after a rotation the former one too, for a time. */
export const validSecrets = ({ secret, former_secret, former_secret_until }: SealedSecrets, now: Date): string[] => [
  secret,
  ...(former_secret !== null && former_secret_until !== null && former_secret_until > now ? [former_secret] : []),
];
