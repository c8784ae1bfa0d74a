// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** What the document has that the one of the last release lacks, in Markdown. */
export const changes = ``;
