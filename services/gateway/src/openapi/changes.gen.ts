// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** The document's additions since the last release, in Markdown; without any, the list of that release. */
export const changes = `## Changes since 1.1.0

### Operations that take or answer more

- \`GET /events\`: \`order\`
- \`GET /cards/{card_id}/events\`: \`order\``;
