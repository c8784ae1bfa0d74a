import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@cardinal/runtime';
import { milliseconds, serviceConfig } from '@cardinal/service/config';
import { z } from 'zod';
import { stragglingMs } from './domain/straggling.ts';
import type { Origins } from './http/origins.ts';

const mebibyte = 1024 * 1024;
const isOrigin = (text: string) => text === '*' || (URL.canParse(text) && new URL(text).origin === text);
const count = z.coerce.number().int().min(1);
const secret = z.string('is missing; make one: openssl rand -base64 32').min(32, 'must have 32 characters or more');

/** What the service reads from its environment. */
export const configSchema = serviceConfig({
  /** Where clients upload and download: a listener of its own, beside the health port; 0 takes any free one. */
  FILES_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  FILES_HOST: z.string().default('127.0.0.1'),
  /** The same listener as clients reach it; as it listens where left out. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Origins whose pages may upload and download, separated by commas; `*` lets everybody's. */
  ALLOWED_ORIGINS: z
    .string()
    .default('*')
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine((origins) => origins.every(isOrigin), 'must be * or origins such as https://app.example.com')
    .transform((origins): Origins => (origins.includes('*') ? '*' : new Set(origins))),
  /** A connection on which nothing moves for this long is closed. */
  TRANSFER_IDLE_MS: milliseconds(60_000),
  /** A transfer that takes longer is broken off. */
  TRANSFER_TIMEOUT_MS: count.max(stragglingMs).default(600_000),
  /** Signs the URLs; the same in every instance, or accepted there. */
  URL_SECRET: secret,
  /** Its URLs are good too: the next secret before a rotation, the former one after it. */
  URL_SECRET_ACCEPTED: secret.optional(),
  MAX_FILE_BYTES: count.default(25 * mebibyte),
  MAX_IMAGE_PIXELS: count.default(50_000_000),
  /** What the process that decodes an image may hold, and how long it may take. */
  IMAGE_MEMORY_BYTES: count.default(1024 * mebibyte),
  IMAGE_TIMEOUT_MS: count.max(stragglingMs).default(60_000),
  /** Quotas of each workspace; a file whose bytes are still to come counts as MAX_FILE_BYTES. */
  WORKSPACE_MAX_FILES: count.default(100_000),
  WORKSPACE_MAX_BYTES: count.default(100 * 1024 * mebibyte),
  WORKSPACE_MAX_PENDING_BYTES: count.default(5 * 1024 * mebibyte),
  UPLOAD_TTL_MS: milliseconds(3_600_000),
  /** `file:///folder`, or `s3://bucket` with the variables of the AWS SDK, and `S3_ENDPOINT` where it is not Amazon's. */
  STORAGE_URL: z.url({ protocol: /^(file|s3)$/ }),
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Room for renditions, and for files of a bucket, while they are checked. */
  SCRATCH_FOLDER: z.string().default(join(tmpdir(), 'cardinal-attachment')),
  /** `tcp://host:port` or `unix:///path` of a clamd; without it files are checked for type only. */
  CLAMD_URL: z.url({ protocol: /^(tcp|unix)$/ }).optional(),
  CLAMD_TIMEOUT_MS: count.max(stragglingMs).default(60_000),
  /** Files that are checked at once. */
  CHECKS_AT_ONCE: count.default(2),
  /** A check that takes longer, whatever it waits for, is broken off and repeated later. */
  CHECK_TIMEOUT_MS: count.max(stragglingMs).default(180_000),
  CHECK_INTERVAL_MS: milliseconds(1_000),
  /** After this time another instance takes over what one had in hand that vanished. */
  CHECK_LEASE_MS: milliseconds(10_000),
  /** After this time without a clear answer a file is rejected. */
  CHECK_GIVE_UP_MS: milliseconds(3_600_000),
});

export type Config = z.output<typeof configSchema>;

/** The service's configuration; ends the process where the environment is wrong. */
export const readConfig = (): Config => loadConfig(configSchema, process.env);
