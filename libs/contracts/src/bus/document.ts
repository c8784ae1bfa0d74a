/** What of a reply a caller needs who only passes its text on. */
export interface DocumentHead {
  id?: string;
  version?: number;
  /** Set where the reply is a lookup: that of its card now, whose id is `id`. */
  identifier?: string;
  /** Set where the reply is the outcome of a command: the text is its resource. */
  replayed?: boolean;
  /** Set where the reply is a page of a list: the text is its items. */
  next_cursor?: string | null;
}

/**
 * A reply as JSON text that its owner made once (architecture, "Speed"): bus and gateway pass it on as it is.
 * `Reply` is what head and text say together.
 */
export class Document<out Reply = unknown> {
  declare protected readonly reply: Reply;
  readonly head: DocumentHead;
  /** JSON in one line. */
  readonly text: string;

  constructor(head: DocumentHead, text: string) {
    this.head = head;
    this.text = text;
  }
}

const has = <Name extends string>(value: object, name: Name): value is object & Record<Name, unknown> => name in value;

const idAndVersion = (resource: object): DocumentHead => ({
  ...(has(resource, 'id') && typeof resource.id === 'string' ? { id: resource.id } : {}),
  ...(has(resource, 'version') && typeof resource.version === 'number' ? { version: resource.version } : {}),
});

/** Writes a reply as a document: an outcome (`outcomeOf`), a page (`pageReply`) or any other object. */
export const documentOf = <Reply extends object>(reply: Reply): Document<Reply> => {
  if (has(reply, 'replayed') && has(reply, 'resource')) {
    const resource = reply.resource as object;
    return new Document({ ...idAndVersion(resource), replayed: reply.replayed as boolean }, JSON.stringify(resource));
  }
  if (has(reply, 'items') && has(reply, 'next_cursor')) {
    return new Document({ next_cursor: reply.next_cursor as string | null }, JSON.stringify(reply.items));
  }
  return new Document(idAndVersion(reply), JSON.stringify(reply));
};

/** Reads a document, as {@link documentOf} writes it; its contract has yet to check it. */
export const replyOf = ({ head, text }: Document): unknown => {
  const value: unknown = JSON.parse(text);
  if (head.replayed !== undefined) return { resource: value, replayed: head.replayed };
  if (head.next_cursor !== undefined) return { items: value, next_cursor: head.next_cursor };
  return value;
};
