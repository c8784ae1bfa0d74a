import type { RequestContract } from '@cardinal/contracts';
import type { z } from 'zod';

export type { ServiceContext as Parts } from './context.ts';

/** What serves a contract: takes its parsed request, answers its reply, or throws a `CardinalError`. */
export type Handler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<z.output<Contract['reply']>>;
