import { writeFile } from 'node:fs/promises';
import { documentText } from './document-text.ts';

await writeFile(new URL('../../openapi.json', import.meta.url), await documentText());
