// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** The document's additions since the last release, in Markdown; without any, the list of that release. */
export const changes = `## Changes since 1.1.0

### New operations

- API keys: \`POST /api-keys\`, \`GET /api-keys\`, \`GET /api-keys/{api_key_id}\`, \`DELETE /api-keys/{api_key_id}\`, \`POST /api-keys/{api_key_id}/rotate\`, \`POST /api-keys/revoke\`
- People: \`POST /people\`, \`GET /people\`, \`GET /people/{person_id}\`, \`PATCH /people/{person_id}\`, \`DELETE /people/{person_id}\`

### Operations that take or answer more

- \`GET /boards\`: \`name\`, \`mine\`
- \`GET /boards/{board_id}/columns\`: \`name\`
- \`GET /boards/{board_id}/cards\`: \`updated_after\`
- \`GET /cards\`: \`card\`, \`updated_after\`
- \`GET /labels\`: \`name\`
- \`GET /events\`: \`order\`, \`actor\`
- \`GET /cards/{card_id}/events\`: \`order\`, \`actor\`
- \`GET /events/stream\`: \`actor\`
- \`GET /workstreams\`: \`prefix\`

### New fields

- \`CreateWebhookInput\`: \`changed\`, \`private_boards\`
- \`PatchWebhookInput\`: \`changed\`, \`private_boards\`
- \`Me\`: \`api_key\`
- \`IdentifierReference\`: \`issued\`
- \`Webhook\`: \`changed\`, \`private_boards\`
- \`WebhookWithSecret\`: \`changed\`, \`private_boards\``;
