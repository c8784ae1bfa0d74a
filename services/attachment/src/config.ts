import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Origins } from '@cardinal/edge';
import { positive as count, milliseconds, port, serviceConfig } from '@cardinal/service/config';
import { z } from 'zod';
import { abandonedAfterMs } from './storage/local-folder.ts';

const mebibyte = 1024 * 1024;
const isOrigin = (text: string) => text === '*' || (URL.canParse(text) && new URL(text).origin === text);
const secret = z.string('is missing; make one: openssl rand -base64 32').min(32, 'must have 32 characters or more');

/** The service's environment variables. */
export const configSchema = serviceConfig({
  FILES_PORT: port.describe('Port where clients upload and download, beside `PORT`; 0 takes any free one.'),
  FILES_HOST: z.string().default('127.0.0.1').describe('Address at which that port listens.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('The same as clients reach it, which URLs of files begin with; as it listens where left out.'),
  ALLOWED_ORIGINS: z
    .string()
    .default('*')
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine((origins) => origins.every(isOrigin), 'must be * or origins such as https://app.example.com')
    .transform((origins): Origins => (origins.includes('*') ? '*' : new Set(origins)))
    .describe('Origins, with commas between them, whose pages may upload and download; `*` lets everybody.'),
  TRANSFER_IDLE_MS: milliseconds(60_000).describe('A transfer on which nothing moves for this long is closed.'),
  TRANSFER_TIMEOUT_MS: count
    .max(abandonedAfterMs)
    .default(600_000)
    .describe('A transfer that takes longer is broken off.'),
  URL_SECRET: secret.describe(
    'Signs URLs of files, 32 characters or more; the same in every instance, or accepted there.',
  ),
  URL_SECRET_ACCEPTED: secret
    .optional()
    .describe('Its URLs are good too: the next secret before a rotation, the former one after it.'),
  MAX_FILE_BYTES: count.default(25 * mebibyte).describe('Largest file.'),
  MAX_IMAGE_PIXELS: count.default(50_000_000).describe('Largest image, pixels.'),
  IMAGE_MEMORY_BYTES: count.default(1024 * mebibyte).describe('What the process that decodes an image may hold.'),
  IMAGE_TIMEOUT_MS: count.max(abandonedAfterMs).default(60_000).describe('How long decoding an image may take.'),
  WORKSPACE_MAX_FILES: count.default(100_000).describe('Files of a workspace.'),
  WORKSPACE_MAX_BYTES: count
    .default(100 * 1024 * mebibyte)
    .describe('Bytes of a workspace; a file whose bytes are still to come counts as `MAX_FILE_BYTES`.'),
  WORKSPACE_MAX_PENDING_BYTES: count
    .default(5 * 1024 * mebibyte)
    .describe('The same of files that wait to be uploaded or checked.'),
  UPLOAD_TTL_MS: milliseconds(3_600_000).describe('How long an upload may begin.'),
  STORAGE_URL: z
    .url({ protocol: /^(file|s3)$/ })
    .describe('Where files are: `file:///folder`, or `s3://bucket` with the variables of the AWS SDK.'),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where the bucket is, if not at Amazon's."),
  SCRATCH_FOLDER: z
    .string()
    .default(join(tmpdir(), 'cardinal-attachment'))
    .describe('Room for renditions, and for files of a bucket, while they are checked.'),
  CLAMD_URL: z
    .url({ protocol: /^(tcp|unix)$/ })
    .optional()
    .describe('`tcp://host:port` or `unix:///path` of a clamd; without it files are checked for type only.'),
  CLAMD_TIMEOUT_MS: count.max(abandonedAfterMs).default(60_000).describe('How long clamd may take for one file.'),
  CHECKS_AT_ONCE: count.default(2).describe('Files that are checked at once.'),
  CHECK_TIMEOUT_MS: count
    .max(abandonedAfterMs)
    .default(180_000)
    .describe('A check that takes longer, whatever it waits for, is broken off and repeated later.'),
  CHECK_INTERVAL_MS: milliseconds(1_000).describe('Pause between two looks for files to check.'),
  CHECK_LEASE_MS: milliseconds(10_000).describe(
    'After this time another instance takes over what one had in hand that vanished.',
  ),
  CHECK_GIVE_UP_MS: milliseconds(3_600_000).describe('After this time without a clear answer a file is rejected.'),
});

export type Config = z.output<typeof configSchema>;
