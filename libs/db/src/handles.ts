import type { QueryExecutorProvider } from 'kysely';

/** Anything that can run a query: a transaction, or the handle that `read` gives. */
export type Reader = QueryExecutorProvider;

/** A transaction of whichever service: the infrastructure tables are the same in all of them. */
export type AnyTransaction = Reader & { readonly isTransaction: true };
