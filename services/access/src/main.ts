import { runAlone } from '@cardinal/host';
import { program } from './program.ts';

await runAlone(program);
