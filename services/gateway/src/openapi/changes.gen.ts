// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** What the document has that the one of the last release lacks, in Markdown; while nothing is new, the list of that one. */
export const changes = `## Changes since 1.0.0

### New operations

- Cards: \`GET /cards\`, \`POST /cards/bulk\`
- Identifiers: \`POST /identifiers/resolve\`
- Events: \`GET /events\`, \`GET /cards/{card_id}/events\`, \`GET /events/stream\`
- Webhooks: \`POST /webhooks\`, \`GET /webhooks\`, \`GET /webhooks/{webhook_id}\`, \`PATCH /webhooks/{webhook_id}\`, \`DELETE /webhooks/{webhook_id}\`, \`POST /webhooks/{webhook_id}/rotate\`, \`POST /webhooks/{webhook_id}/take-over\`, \`POST /webhooks/{webhook_id}/ping\`, \`POST /webhooks/{webhook_id}/replay\`, \`GET /webhooks/{webhook_id}/deliveries\`
- Workstreams: \`POST /workstreams/{workstream_id}/adoptions\`, \`POST /workstreams/{workstream_id}/open\`, \`GET /workstreams/{workstream_id}/identifiers\`
- Me: \`GET /me\`

### New fields

- \`CreateCardInput\`: \`assignee_user_ids\`, \`label_ids\`
- \`CreateWorkstreamInput\`: \`adopting\`
- \`Workstream\`: \`adopting\`
- \`IdentifierHistoryEntry\`: \`adopted\`

### New errors

- \`410 gone\``;
