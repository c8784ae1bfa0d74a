/** The parts of a reply beside the resource. */
export interface Reply {
  status: number;
  requestId: string | undefined;
  /** The service had carried out this request before and repeated its first answer (`Idempotent-Replayed`). */
  replayed: boolean;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call; it may have been carried out. */
  signal?: AbortSignal | undefined;
  /** Of one sending, milliseconds, in place of the client's. */
  timeoutMs?: number | undefined;
  /** Sent beside the client's. */
  headers?: Record<string, string> | undefined;
  /** Called with status, request id, and whether the answer is a replay. */
  onReply?: ((reply: Reply) => void) | undefined;
}

/** Options of the read of a versioned resource. */
export interface ConditionalOptions extends CallOptions {
  /** The resource as last read: the answer is null where it is still that (`If-None-Match`, RFC 9110, 13.1.2). */
  ifNoneMatch: { version: number };
}

/** Options of a POST. */
export interface PostOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; generated for every call when left out. */
  idempotencyKey?: string | undefined;
}

/** Options of a PATCH. */
export interface PatchOptions extends CallOptions {
  /**
   * Where others changed the resource since (412), sends the patch again with the current version if it is known what they
   * changed, and no field of the patch is among it; sixteen times at most. Otherwise the error names the fields of both sides.
   */
  merge?: boolean | undefined;
}

/** What a write of a versioned resource names: the resource as last read, or just its id and version (`If-Match`). */
export interface Versioned {
  id: string;
  version: number;
}

/** The answer to a download; its body is a stream that is still to be read. */
export type Download = Response & { body: NonNullable<Response['body']> };

/** One page as the service sends it; `next_cursor` is null on the last one. */
export interface Page<Item> {
  data: Item[];
  page: {
    next_cursor: string | null;
    has_more: boolean;
    /** Of a list of events: the highest `seq` there is. */
    head?: number;
  };
}

/** Options of a stream, beside its filters. */
export interface FollowOptions {
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Sent beside the client's. */
  headers?: Record<string, string> | undefined;
}

export interface ListOptions extends CallOptions {
  /** Items per request, 1 to 100. */
  pageSize?: number | undefined;
}

/** A list that is read page by page as it is walked through: `for await (const card of client.cards.list(boardId))`. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** One page, for callers that keep the cursor themselves. */
  page(cursor?: string): Promise<Page<Item>>;
  /** The whole list at once, or its first `limit` items, from as few pages as these take. */
  all(options?: { limit?: number | undefined }): Promise<Item[]>;
}
