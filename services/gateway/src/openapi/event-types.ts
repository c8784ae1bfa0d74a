import { type EventType, eventTypes } from '@cardinal/contracts';

type Fields = Record<string, string | number | boolean | null>;

const before = '2030-01-02T09:30:00.000Z';

/** Fields of examples: their values before the change, and those since. Creations and deletions have neither. */
const changes: Partial<Record<EventType, { previous: Fields; since?: Fields }>> = {
  'board.updated': { previous: { name: 'Payment' } },
  'board.archived': { previous: { archived_at: null }, since: { archived_at: before } },
  'board.restored': { previous: { archived_at: before } },
  'card.updated': { previous: { title: 'Refunds fail' } },
  'card.moved': { previous: { column_id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4c', position: 4 } },
  'card.transferred': { previous: { identifier: 'MAIN-2' } },
  'card.archived': { previous: { archived_at: null }, since: { archived_at: before } },
  'card.restored': { previous: { archived_at: before } },
  'column.updated': { previous: { name: 'Doing' } },
  'column.archived': { previous: { archived_at: null }, since: { archived_at: before } },
  'column.restored': { previous: { archived_at: before } },
  'comment.updated': { previous: { body: 'The bank answers with 503.' } },
  'file.updated': { previous: { status: 'scanning' } },
  'label.updated': { previous: { color: '#cccccc' } },
  'subtask.updated': { previous: { title: 'Ask' } },
  'workstream.updated': { previous: { name: 'Payment' } },
  'workstream.archived': { previous: { archived_at: null }, since: { archived_at: before } },
  'workstream.opened': { previous: { adopting: true } },
};

const isGone = (type: EventType) => /\.(deleted|removed|cleared)$/.test(type);

const pascal = (words: string) => words.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An example of a type of event, made from the example of its resource. */
const exampleOf = (type: EventType, schema: Record<string, unknown>) => {
  const { previous = {}, since = {} } = changes[type] ?? {};
  const { subject, data, ...rest } = schema as { subject: object; data: object };
  const [kind = ''] = type.split('.');
  return {
    ...rest,
    type,
    subject: { ...subject, type: kind },
    changed: Object.keys(previous),
    previous,
    data: isGone(type) ? null : { ...data, ...since },
  };
};

/**
 * Every type of event as a webhook of the document, with an example, so that the page has a section for each and a search
 * finds it.
 * @param schemas what clients get, each with an example
 */
export const eventTypeWebhooks = (schemas: Record<string, { examples?: unknown[] }>): Record<string, object> =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const [subject = '', what = ''] = type.split('.');
      const name = `${pascal(subject)}Event`;
      const example = exampleOf(type, schemas[name]?.examples?.[0] as Record<string, unknown>);
      const said =
        type === 'feed.reset' ? 'A database became an earlier one.' : `A ${subject.replace('_', ' ')} was ${what}.`;
      const post = {
        operationId: `receive${pascal(type)}`,
        summary: type,
        description: `\`${type}\`: ${said} What \`GET /events\` lists, streams send and webhooks get, signed as \`receiveEvent\` says.`,
        tags: ['Event types'],
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example } },
        },
        responses: { '2XX': { description: 'Taken.' }, default: { description: 'Sent again later.' } },
      };
      return [type, { post }];
    }),
  );
