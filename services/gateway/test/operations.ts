import { apiPrefix, declaredOperations, type HttpOperation, isOwn, type RequestContract } from '@cardinal/contracts';
import { v7 } from 'uuid';

import type { Sent } from './http.ts';

/** A request or a reply on the bus, as a golden file keeps it. */
export type Golden = Record<string, unknown>;

/** An operation and the request that its owner serves. */
export interface Operation {
  id: string;
  http: HttpOperation;
  contract: RequestContract;
}

/** Every operation that a service answers. */
export const operations: Operation[] = declaredOperations
  .filter((one) => !isOwn(one))
  .map(({ http, ...contract }) => ({
    id: http.id,
    http,
    contract,
  }));

/** What clients get for the owner's reply. */
export const shownOf = ({ http: { reply: kind } }: Operation, reply: Golden) => {
  const { status } = kind;
  if (kind.kind === 'empty') return { status };
  if (kind.kind === 'redirect') return { status, location: reply.url };
  if (kind.kind === 'page') {
    const { items, next_cursor, ...head } = reply;
    return { status, json: { data: items, page: { next_cursor, has_more: next_cursor !== null, ...head } } };
  }
  if (kind.kind === 'parts') return { status, json: { data: reply.items } };
  const data = (kind.kind === 'optional' ? Object.values(reply)[0] : (reply.resource ?? reply)) as Golden;
  return {
    status,
    json: { data },
    ...(kind.headers.includes('ETag') ? { etag: `"${data.version}"` } : {}),
    ...(kind.collection ? { location: `${apiPrefix}/${kind.collection}/${data.id}` } : {}),
  };
};

/** How a client asks for what a request on the bus says: with the headers that the operation needs and no others. */
export const httpOf = ({ http }: Operation, request: Golden): Sent => {
  const { page, filters, if_match, body } = request as Golden & { if_match?: number[] };
  // The caller is no part of the query.
  const { workspace_id: _workspace, user_id: _user, ...own } = request;
  const said: Golden = { ...own, ...(page as object), ...(filters as object) };
  const query = new URLSearchParams();
  for (const name of Object.keys(http.query.shape)) {
    for (const one of [said[name] ?? []].flat()) query.append(name, String(one));
  }
  const path = http.path.replace(/:(\w+)/g, (_, name: string) => String(request[http.as[name] ?? name]));
  return {
    method: http.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      ...(http.requires.includes('Idempotency-Key') ? { 'idempotency-key': v7() } : {}),
      ...(if_match ? { 'if-match': if_match.map((version) => `"${version}"`).join(', ') } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};
