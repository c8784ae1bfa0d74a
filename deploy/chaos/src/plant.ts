/*
 * Loaded before a service (`--import`) that is to have one of the bugs: the product itself knows nothing of them, and what
 * ships cannot have them.
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
