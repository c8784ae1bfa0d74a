/*
 * Loaded (`--import`) before a service that gets a planted bug. The product itself has no code for the bugs, so a release
 * cannot contain them.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bugNamed, plantedFiles } from './bugs.ts';
import { plantedBug } from './config.ts';

const planted = plantedFiles(bugNamed(plantedBug()));

registerHooks({
  load: (url, context, nextLoad) => {
    const source = url.startsWith('file:') ? planted.get(fileURLToPath(url)) : undefined;
    return source === undefined ? nextLoad(url, context) : { format: 'module-typescript', shortCircuit: true, source };
  },
});
