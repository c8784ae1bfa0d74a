/** Where each test file leaves what it saw, for `write.ts`. */
export const recordingsFolder = new URL('../../../../node_modules/.cache/cardinal-acceptance/', import.meta.url);
