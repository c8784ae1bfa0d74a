export type { Attempt } from './calls.ts';
export { type CardinalClient, type ClientOptions, clientVersion, createClient } from './client.ts';
export { CardinalError, type DetailsByCode, type ErrorCode, type LostAnswer } from './errors.ts';
export type { FileBytes, FileTransfers, UploadOptions, WaitOptions } from './files.ts';
export { writeFresh } from './fresh.ts';
export type * from './operations.gen.ts';
export type {
  CallOptions,
  ConditionalOptions,
  Download,
  FollowOptions,
  Listing,
  ListOptions,
  PatchOptions,
  PostOptions,
  Reply,
  Versioned,
} from './options.ts';
export type { RetryPolicy } from './retry.ts';
export { createSender, type RawAnswer, type RawRequest } from './send.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';
