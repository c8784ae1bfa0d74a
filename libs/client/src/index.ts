export type { Attempt, CallOptions, Download, PostOptions, Reply, Versioned } from './calls.ts';
export { type CardinalClient, type ClientOptions, createClient } from './client.ts';
export { CardinalError, type DetailsByCode, type ErrorCode, type LostAnswer } from './errors.ts';
export type { FileBytes, FileTransfers, UploadOptions, WaitOptions } from './files.ts';
export type { Listing, ListOptions } from './listing.ts';
export type * from './operations.gen.ts';
export type { RetryPolicy } from './retry.ts';
