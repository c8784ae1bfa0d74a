import { afterAll } from 'vitest';
import { endRecording } from './record.ts';

// Vitest runs this before every test file, while other modules stay loaded from file to file.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no fixture is wanted
afterAll(({}, { file }) => {
  if (file.filepath.endsWith('.acceptance.test.ts')) endRecording(file);
});
