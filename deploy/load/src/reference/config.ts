import { z } from 'zod';

const schema = z.object({
  PORT: z.coerce.number().int(),
  DATABASE_URL: z.string(),
  /** The size that made it fastest where it was tried: 10, 20 and 40. */
  DATABASE_POOL_SIZE: z.coerce.number().int().default(20),
  JWKS_FILE: z.string(),
  TOKEN_ISSUER: z.string(),
  TOKEN_AUDIENCE: z.string(),
});

export const readConfig = () => schema.parse(process.env);
