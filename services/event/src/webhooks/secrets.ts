import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts and decrypts the secrets of webhooks (`createVault`). */
export type Vault = ReturnType<typeof createVault>;

const cipher = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];

/** Derives the encryption key and its id. A sealed secret begins with the id, by which its key is found. */
const derive = (key: string) => {
  const bytes = (length: number, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, length));
  return { id: bytes(6, 'cardinal webhook key id').toString('base64url'), key: bytes(32, 'cardinal webhook secrets') };
};

/**
 * Creates the vault for secrets at rest: AES-256-GCM, with keys derived by HKDF (RFC 5869). A sealed secret is bound to the id of
 * its webhook, so it cannot be opened in the row of another one.
 * @param current the key that seals, and opens
 * @param accepted a key that only opens, during a rotation of keys (deploy/rotation.md)
 */
export const createVault = (current: string, accepted?: string) => {
  const sealing = derive(current);
  const known = [sealing, ...(accepted === undefined ? [] : [derive(accepted)])];
  return {
    /** The beginning of everything sealed with the current key. */
    prefix: `${sealing.id}.`,
    /** Encrypts a secret for the row of one webhook. */
    seal: (secret: string, webhookId: string): string => {
      const iv = randomBytes(ivBytes);
      const encryption = createCipheriv(cipher, sealing.key, iv).setAAD(Buffer.from(webhookId));
      const sealed = Buffer.concat([iv, encryption.update(secret), encryption.final(), encryption.getAuthTag()]);
      return `${sealing.id}.${sealed.toString('base64url')}`;
    },
    /** Decrypts a secret. @throws Error if neither key sealed it for this webhook */
    open: (sealed: string, webhookId: string): string => {
      const [id, content = ''] = sealed.split('.');
      const opening = known.find((one) => one.id === id);
      if (!opening) throw new Error('a secret of a webhook was sealed with a key that is neither current nor accepted');
      const bytes = Buffer.from(content, 'base64url');
      const decryption = createDecipheriv(cipher, opening.key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(webhookId))
        .setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decryption.update(bytes.subarray(ivBytes, -tagBytes)), decryption.final()]).toString();
    },
  };
};

/** Returns a new random secret, `whsec_` and 32 bytes in base64 (Standard Webhooks: 24 to 64 bytes). */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The sealed secrets of a webhook's row. */
interface SealedSecrets {
  secret: string;
  former_secret: string | null;
  former_secret_until: Date | null;
}

/** Returns the secrets that sign at `now`, sealed: the current one, and until `former_secret_until` the former one. */
export const validSecrets = ({ secret, former_secret, former_secret_until }: SealedSecrets, now: Date): string[] => [
  secret,
  ...(former_secret !== null && former_secret_until !== null && former_secret_until > now ? [former_secret] : []),
];
