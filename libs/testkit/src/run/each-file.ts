import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';

// Vitest runs this file before each test file, and so this hook after whatever hooks the test file has of its own.
afterAll(endFile);
