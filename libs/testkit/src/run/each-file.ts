import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';

// Vitest runs this file before each test file, so this hook runs after the test file's own hooks.
afterAll(endFile);
