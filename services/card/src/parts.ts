import type { Document, RequestContract } from '@cardinal/contracts';
import type { z } from 'zod';

export type { ServiceContext as Parts } from './context.ts';

/** What serves a contract with documents: takes its parsed request, or throws a `CardinalError`. */
export type DocumentHandler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<Document<z.output<Contract['reply']>>>;
