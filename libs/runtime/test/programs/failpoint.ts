import { armFailpoint, failpoint } from '../../src/index.ts';

failpoint('after-grant');
armFailpoint('after-grant');
failpoint('before-commit');
process.stdout.write('alive');
failpoint('after-grant');
process.stdout.write('never written');
