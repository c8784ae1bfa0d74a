// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** What the document has that the one of the last release lacks, in Markdown; while nothing is new, the list of that one. */
export const changes = `## Changes since 1.1.0

### Operations that take or answer more

- \`GET /events\`: \`order\`
- \`GET /cards/{card_id}/events\`: \`order\``;
